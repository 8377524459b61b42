import type { CallContext } from "../db/call-context.js";
import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import { selectNamespaceHeads } from "./queries/select-namespace-heads.js";
import { selectNamespaces } from "./queries/select-namespaces.js";
import { inPortions } from "./in-portions.js";
import { storedThreads, THREADS_AT_ONCE } from "./stored-threads.js";
import type { NamespaceHead } from "./subgraph-calls.js";

/** A thread may have any number of them. */
const HEADS_AT_ONCE = 1_000;

/** What is known of the namespaces of a page is held in memory: the ids of their checkpoints, and values that nothing refers to. */
const NAMESPACES_ON_PAGE = 200;
const CHECKPOINTS_ON_PAGE = 10_000;

/** Which namespaces are gone through, and what of them stays. */
export interface PageScope {
  /** Only these threads; all where it is `undefined`. */
  readonly threads: readonly string[] | undefined;
  /** Only in these namespaces checkpoints may go; in all where it is `undefined`. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** How many of the newest checkpoints of each namespace stay: one, or more. */
  readonly keepLast: number;
  /** Called with those of the threads that have no rows. */
  readonly onMissing: (threads: readonly string[]) => void;
}

/**
 * All namespaces that have a row in any table, thread by thread, and in each thread parents before their subgraphs: as many
 * at once as have some thousand checkpoints together.
 */
export async function* namespacePages(
  call: CallContext,
  { threads, namespaces, keepLast, onMissing }: PageScope,
): AsyncGenerator<readonly NamespaceHead[]> {
  const pages = threads === undefined ? storedThreads(call) : inPortions(threads, THREADS_AT_ONCE);
  for await (const page of pages) {
    const keys = await selectNamespaces(call, page);
    const stored = new Set(keys.map(({ threadId }) => threadId));
    onMissing(page.filter((threadId) => !stored.has(threadId)));
    for (const some of inPortions(keys, HEADS_AT_ONCE)) {
      yield* inPages(await readHeads(call, some, { namespaces, keepLast }));
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
      parents: row?.parents,
      isMeant: namespaces?.has(key.checkpointNs) !== false,
    };
  });
}

function* inPages(heads: readonly SizedHead[]): Generator<SizedHead[]> {
  let page: SizedHead[] = [];
  let checkpoints = 0;
  for (const head of heads) {
    const isFull = page.length >= NAMESPACES_ON_PAGE || checkpoints + head.checkpoints > CHECKPOINTS_ON_PAGE;
    if (isFull && page.length > 0) {
      yield page;
      page = [];
      checkpoints = 0;
    }
    page.push(head);
    checkpoints += head.checkpoints;
  }
  if (page.length > 0) yield page;
}
