import type { RunnableConfig } from "@langchain/core/runnables";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PostgresSaver } from "../../../src/index.js";

/** A saver that says when a save has failed. LangGraph holds the very promises that `PostgresSaver` returns. */
export class ReportingSaver extends PostgresSaver {
  /** Whether the node has begun that runs while a save fails. */
  nodeBegan = false;
  #report: () => void = () => undefined;
  readonly #failed = new Promise<void>((resolve) => (this.#report = resolve));

  /** Resolves when Node.js has reported a save that failed, if it does: it looks at the end of a turn of the event loop. */
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
