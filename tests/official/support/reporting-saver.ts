import type { RunnableConfig } from "@langchain/core/runnables";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PostgresSaver } from "../../../src/index.js";

/** A saver that reports a failed save. LangGraph receives the same promises that `PostgresSaver` returns. */
export class ReportingSaver extends PostgresSaver {
  /** Whether the node that runs while a save fails has begun. */
  nodeBegan = false;
  #report: () => void = () => undefined;
  readonly #failed = new Promise<void>((resolve) => (this.#report = resolve));

  /** Resolves after Node.js may have reported a failed save, which it does at the end of a turn of the event loop. */
  async afterFailedSave(): Promise<void> {
    await this.#failed;
    await nextTurn();
  }

  override put(...call: Parameters<PostgresSaver["put"]>): Promise<RunnableConfig> {
    return this.#observe(super.put(...call));
  }

  override putWrites(...call: Parameters<PostgresSaver["putWrites"]>): Promise<void> {
    return this.#observe(super.putWrites(...call));
  }

  #observe<T>(save: Promise<T>): Promise<T> {
    save.catch(this.#report);
    return save;
  }
}
