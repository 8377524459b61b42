import type { CallContext } from "../db/call-context.js";
import { chunksOf } from "./model/portions.js";
import { selectThreadIds } from "./queries/select-thread-ids.js";

/** How many threads one statement reads. */
const THREADS_PER_PAGE = 200;

/** Yields the given threads in pages; for `undefined`, all threads that have a row in any table. */
export async function* threadPages(
  call: CallContext,
  threads: readonly string[] | undefined,
): AsyncGenerator<readonly string[]> {
  if (threads !== undefined) {
    yield* chunksOf(threads, THREADS_PER_PAGE);
    return;
  }
  let page: readonly string[] = [];
  do {
    page = await selectThreadIds(call, page.at(-1), THREADS_PER_PAGE);
    if (page.length > 0) yield page;
  } while (page.length === THREADS_PER_PAGE);
}

/** Yields threads one by one, as {@link threadPages} does in pages. */
export async function* eachThreadId(
  ...[call, threads]: Parameters<typeof threadPages>
): AsyncGenerator<string> {
  for await (const page of threadPages(call, threads)) yield* page;
}

/** Yields pages of all threads, the empty id included, which only other savers store. */
export async function* allThreads(call: CallContext): AsyncGenerator<readonly string[]> {
  // The other pages begin behind it.
  yield [""];
  yield* threadPages(call, undefined);
}
