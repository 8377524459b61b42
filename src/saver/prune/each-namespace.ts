import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import type { NamespaceKey } from "../checkpoint-key.js";
import { selectNamespaces } from "../queries/prune/select-namespaces.js";
import { selectThreadIds } from "../queries/prune/select-thread-ids.js";

const THREADS_AT_ONCE = 200;

/**
 * All namespaces that have a row in any table, thread by thread.
 *
 * @param threads - Only of these threads; of all where it is `undefined`.
 */
export async function* eachNamespace(
  tables: CheckpointTables,
  threads: readonly string[] | undefined,
): AsyncGenerator<NamespaceKey> {
  const pages = threads === undefined ? storedPages(tables) : pagesOf(threads);
  for await (const page of pages) yield* await selectNamespaces(tables, page);
}

async function* storedPages(tables: CheckpointTables): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  do {
    const page = await selectThreadIds(tables, after, THREADS_AT_ONCE);
    if (page.length > 0) yield page;
    after = page.at(-1);
  } while (after !== undefined);
}

function* pagesOf(threads: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < threads.length; start += THREADS_AT_ONCE) {
    yield threads.slice(start, start + THREADS_AT_ONCE);
  }
}
