import { selectThreadTimes } from "../retention/queries/select-thread-times.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { groupBy } from "../db/group-by.js";
import { rowKey } from "../saver/model/keys.js";
import { threadPages } from "../saver/thread-pages.js";
import { isOfOlder } from "./files/file-names.js";
import { type LostParentRow, selectLostParents } from "./queries/select-lost-parents.js";

/**
 * Finds threads of which the archive has lost its newest file, which no other file names. Read before a restore stores anything, and
 * compared with what is stored afterwards.
 */
export class IncompleteThreads {
  /** Threads whose newer checkpoints are neither stored nor in the archive. */
  readonly #withoutNewer = new Set<string>();
  /** By thread, checkpoints that were stored without their parent. Its file must bring it back. */
  readonly #withoutParent = new Map<string, Set<string>>();

  /** @param newest - The newest file of each thread. */
  static async read(call: SaverCall, newest: ReadonlyMap<string, string>): Promise<IncompleteThreads> {
    const threads = new IncompleteThreads();
    for await (const page of threadPages(call, [...newest.keys()])) {
      const older = page.filter((thread) => isOfOlder(newest.get(thread) ?? ""));
      const stored = new Set((await selectThreadTimes(call, older)).map(({ thread_id }) => thread_id));
      for (const thread of older) if (!stored.has(thread)) threads.#withoutNewer.add(thread);
      for (const [thread, rows] of groupBy(await selectLostParents(call, page), (row) => row.thread_id))
        threads.#withoutParent.set(thread, new Set(rows.map(keyOf)));
    }
    return threads;
  }

  /** The threads that are still incomplete. */
  async afterwards(call: SaverCall): Promise<string[]> {
    const incomplete = new Set(this.#withoutNewer);
    for await (const page of threadPages(call, [...this.#withoutParent.keys()])) {
      for (const row of await selectLostParents(call, page)) {
        if (this.#withoutParent.get(row.thread_id)?.has(keyOf(row)) === true) incomplete.add(row.thread_id);
      }
    }
    return [...incomplete];
  }
}

function keyOf({ checkpoint_ns, checkpoint_id }: LostParentRow): string {
  return rowKey(checkpoint_ns, checkpoint_id);
}
