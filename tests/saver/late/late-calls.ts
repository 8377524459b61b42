import type { PostgresSaver } from "../../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../../test-support/checkpoints.js";

/** A call on any saver, which may be repeated. */
export type Call = (saver: PostgresSaver, signal?: AbortSignal) => Promise<unknown>;

/** A call that writes, and the next call of its caller. */
export interface LateCall {
  readonly what: string;
  /** Stores what the call needs. */
  readonly prepare: (saver: PostgresSaver, thread: string) => Promise<LatePair>;
}

/** A call, and a newer one whose effect the first one would undo if it were executed afterwards. */
export interface LatePair {
  readonly late: Call;
  readonly newer: Call;
  /**
   * Whether the newer call waits for locks that the transaction of the first one holds while its last
   * statement is on its way.
   */
  readonly newerWaits?: boolean;
}

/** Every call that writes. */
export const LATE_CALLS: readonly LateCall[] = [
  {
    what: "put",
    prepare: (saver, thread) => Promise.resolve({ late: put(saver, thread), newer: deleteThread(thread) }),
  },
  {
    what: "putWrites",
    prepare: (_saver, thread) =>
      Promise.resolve({ late: resume(thread, "late"), newer: resume(thread, "newer") }),
  },
  {
    what: "deleteThread",
    prepare: (saver, thread) => Promise.resolve({ late: deleteThread(thread), newer: put(saver, thread) }),
  },
  {
    what: "a batch of one statement",
    prepare: (saver, thread) => {
      const checkpoint = checkpointOf(saver, { a: ["late"] });
      const late: Call = (on, signal) =>
        on.batch(
          async (batch) => {
            await batch.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
          },
          { signal },
        );
      return Promise.resolve({ late, newer: deleteThread(thread) });
    },
  },
  {
    what: "a batch of one transaction",
    prepare: (saver, thread) => {
      const checkpoint = checkpointOf(saver, { a: ["late"] });
      const late: Call = (on, signal) =>
        on.batch(
          async (batch) => {
            await batch.deleteThread(thread);
            await batch.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
          },
          { signal },
        );
      return Promise.resolve({ late, newer: put(saver, thread) });
    },
  },
  {
    what: "prune of a whole thread",
    prepare: async (saver, thread) => {
      await put(saver, thread)(saver);
      const late: Call = (on, signal) => on.prune([thread], { strategy: "delete", signal });
      return { late, newer: put(saver, thread) };
    },
  },
  {
    what: "prune of older checkpoints",
    prepare: async (saver, thread) => {
      const older = put(saver, thread);
      await older(saver);
      await putValues(saver, threadConfig(thread), { a: ["newest"] });
      const late: Call = (on, signal) => on.prune({ keepLast: 1, threads: [thread], signal });
      return { late, newer: older, newerWaits: true };
    },
  },
];

/** Puts the same checkpoint every time. */
export function put(saver: PostgresSaver, thread: string): Call {
  const checkpoint = checkpointOf(saver, { a: ["put"] });
  return (on, signal) =>
    on.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint), { signal });
}

/** Stores a write that replaces an earlier one. */
export function resume(thread: string, value: string): Call {
  const config = threadConfig(thread, { checkpoint_id: "1" });
  return (on, signal) => on.putWrites(config, [["__resume__", value]], "task", "", { signal });
}

/** Deletes a thread. */
export function deleteThread(thread: string): Call {
  return (on, signal) => on.deleteThread(thread, { signal });
}
