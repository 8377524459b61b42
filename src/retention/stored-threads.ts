import type { CallContext } from "../db/call-context.js";
import { selectThreadIds } from "./queries/select-thread-ids.js";

/** How many threads are looked at by one statement. */
export const THREADS_AT_ONCE = 200;

/** All threads that have a row in any table, page by page. */
export async function* storedThreads(call: CallContext): AsyncGenerator<readonly string[]> {
  let page: readonly string[] = [];
  do {
    page = await selectThreadIds(call, page.at(-1), THREADS_AT_ONCE);
    if (page.length > 0) yield page;
  } while (page.length === THREADS_AT_ONCE);
}
