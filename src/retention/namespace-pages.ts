import type { CallContext } from "../db/call-context.js";
import type { NamespaceKey } from "../saver/model/keys.js";
import { chunksOf, portionsOf } from "../saver/model/portions.js";
import { selectNamespaceHeads, selectNamespaces } from "./queries/namespaces-of-threads.js";
import type { NamespaceHead } from "./subgraph-calls.js";
import { threadPages } from "../saver/thread-pages.js";

/** How many heads one statement reads: a thread may have any number of namespaces. */
const HEADS_PER_STATEMENT = 1_000;

/** How many namespaces and checkpoints a page has at most. Their checkpoint ids and orphaned values are held in memory. */
const PAGE = { rows: 200, size: 10_000 };

/** The namespaces to read, and how many checkpoints are kept of each. */
export interface PageScope {
  /** Only these threads; all when `undefined`. */
  readonly threads: readonly string[] | undefined;
  /** Only namespaces with these names are selected for deletion; all when `undefined`. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** How many of the newest checkpoints of each namespace are kept; at least one (C9). */
  readonly keepLast: number;
  /** Called with the threads of a page that have no rows. */
  readonly onMissing: (threads: readonly string[]) => void;
}

/**
 * Yields all namespaces that have a row in any table, thread by thread, and in each thread parents before their subgraphs. A
 * page holds namespaces with about ten thousand checkpoints together.
 */
export async function* namespacePages(
  call: CallContext,
  { threads, namespaces, keepLast, onMissing }: PageScope,
): AsyncGenerator<readonly NamespaceHead[]> {
  for await (const page of threadPages(call, threads)) {
    const keys = await selectNamespaces(call, page);
    const stored = new Set(keys.map(({ threadId }) => threadId));
    onMissing(page.filter((threadId) => !stored.has(threadId)));
    for (const chunk of chunksOf(keys, HEADS_PER_STATEMENT)) {
      const heads = await readHeads(call, chunk, { namespaces, keepLast });
      yield* portionsOf(heads, ({ checkpoints }) => checkpoints, PAGE);
    }
  }
}

type SizedHead = NamespaceHead & { readonly checkpoints: number };

async function readHeads(
  call: CallContext,
  keys: readonly NamespaceKey[],
  { namespaces, keepLast }: Pick<PageScope, "namespaces" | "keepLast">,
): Promise<SizedHead[]> {
  const rows = await selectNamespaceHeads(call, keys, keepLast);
  return keys.map((key, at) => {
    const row = rows[at];
    return {
      key,
      checkpoints: row?.checkpoints ?? 0,
      newestId: row?.newest_id ?? null,
      oldestKeptId: row !== undefined && row.checkpoints > keepLast ? row.oldest_kept_id : null,
      parents: JSON.parse(row?.parents ?? "null") as unknown,
      isSelected: namespaces?.has(key.checkpointNs) !== false,
    };
  });
}
