import { selectThreadTimes } from "../retention/queries/select-thread-times.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { rowKey } from "../saver/model/row-key.js";
import { threadPages } from "../saver/thread-pages.js";
import { isOfOlder } from "./files/file-names.js";
import { type LostParentRow, selectLostParents } from "./queries/select-lost-parents.js";

/**
 * Finds threads of which the archive has lost its newest file, which no other file names. Read before a restore stores anything, and
 * compared with what is stored afterwards.
 */
export class IncompleteThreads {
  /** The newest file of each thread. */
  readonly #newest: ReadonlyMap<string, string>;
  /** Threads whose newer checkpoints are neither stored nor in the archive. */
  readonly #withoutNewer = new Set<string>();
  /** Checkpoints that were stored without their parent. Its file must bring it back. */
  readonly #withoutParent = new Set<string>();

  private constructor(newest: ReadonlyMap<string, string>) {
    this.#newest = newest;
  }

  static async read(call: SaverCall, newest: ReadonlyMap<string, string>): Promise<IncompleteThreads> {
    const threads = new IncompleteThreads(newest);
    for await (const page of threadPages(call, [...newest.keys()])) {
      const stored = new Set((await selectThreadTimes(call, page)).map(({ thread_id }) => thread_id));
      for (const thread of page) {
        if (!stored.has(thread) && isOfOlder(newest.get(thread) ?? "")) threads.#withoutNewer.add(thread);
      }
      for (const row of await selectLostParents(call, page)) threads.#withoutParent.add(keyOf(row));
    }
    return threads;
  }

  /** The threads that are still incomplete. */
  async afterwards(call: SaverCall): Promise<string[]> {
    const incomplete = new Set(this.#withoutNewer);
    for await (const page of threadPages(call, [...this.#newest.keys()])) {
      for (const row of await selectLostParents(call, page)) {
        if (this.#withoutParent.has(keyOf(row))) incomplete.add(row.thread_id);
      }
    }
    return [...this.#newest.keys()].filter((thread) => incomplete.has(thread));
  }
}

function keyOf({ thread_id, checkpoint_ns, checkpoint_id }: LostParentRow): string {
  return rowKey(thread_id, checkpoint_ns, checkpoint_id);
}
