import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ReadOptions } from "../../../src/saver/boundary/parse-read.js";
import { PostgresSaver } from "../../../src/index.js";
import { Gate } from "../../../test-support/gate.js";

/** A saver that delays its first reads until all of them have arrived, so that the runs begin with the same head. */
export class SimultaneousReadsSaver extends PostgresSaver {
  readonly #gate = new Gate();
  #awaited = 2;

  override async getTuple(
    config: RunnableConfig,
    options?: ReadOptions,
  ): Promise<CheckpointTuple | undefined> {
    const tuple = await super.getTuple(config, options);
    if (--this.#awaited <= 0) this.#gate.open();
    await this.#gate.opened;
    return tuple;
  }
}
