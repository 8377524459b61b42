import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../../src/index.js";
import { allVersions, checkpointOf, collect, metadataOf } from "../../../test-support/checkpoints.js";

/** The stored checkpoint that a call uses. */
export interface Stored {
  readonly saver: PostgresSaver;
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
}

/** A call of a saver with a signal. */
export interface BoundedCall {
  readonly what: string;
  /** Whether the signal of the run ends it too. */
  readonly reads: boolean;
  readonly call: (stored: Stored, signal?: AbortSignal, config?: RunnableConfig) => Promise<unknown>;
}

/** Every call that can be aborted. */
export const CALLS: readonly BoundedCall[] = [
  {
    what: "getTuple",
    reads: true,
    call: ({ saver, config: own }, signal, config = own) => saver.getTuple(config, { signal }),
  },
  {
    what: "a page of list",
    reads: true,
    call: ({ saver, config: own }, signal, config = own) => collect(saver.list(config, { signal })),
  },
  {
    what: "getDeltaChannelHistory",
    reads: true,
    call: ({ saver, config: own }, signal, config = own) =>
      saver.getDeltaChannelHistory({ config, channels: ["a"], signal }),
  },
  {
    what: "getDeltaChannelHistory of sends",
    reads: true,
    call: ({ saver, config: own }, signal, config = own) =>
      saver.getDeltaChannelHistory({ config, channels: ["__pregel_tasks"], signal }),
  },
  {
    what: "getChannelValues",
    reads: false,
    call: ({ saver }, signal) => saver.getChannelValues({ threadIds: ["stored"], channel: "a" }, { signal }),
  },
  {
    what: "put",
    reads: false,
    call: ({ saver, config: own, checkpoint }, signal, config = own) => {
      const next = checkpointOf(saver, { a: ["next"] }, checkpoint);
      return saver.put(config, next, metadataOf(1), allVersions(next), { signal });
    },
  },
  {
    what: "putWrites",
    reads: false,
    call: ({ saver, config: own }, signal, config = own) =>
      saver.putWrites(config, [["a", "next"]], "late task", undefined, { signal }),
  },
  {
    what: "deleteThread",
    reads: false,
    call: ({ saver }, signal) => saver.deleteThread("stored", { signal }),
  },
  {
    what: "a batch of one statement",
    reads: false,
    call: ({ saver, config: own, checkpoint }, signal, config = own) =>
      saver.batch(
        async (batch) => {
          const next = checkpointOf(saver, { a: ["next"] }, checkpoint);
          await batch.put(config, next, metadataOf(1), allVersions(next));
        },
        { signal },
      ),
  },
  {
    what: "a batch of one transaction",
    reads: false,
    call: ({ saver, config: own, checkpoint }, signal, config = own) =>
      saver.batch(
        async (batch) => {
          await batch.deleteThread("stored");
          const next = checkpointOf(saver, { a: ["next"] }, checkpoint);
          await batch.put(config, next, metadataOf(1), allVersions(next));
        },
        { signal },
      ),
  },
];
