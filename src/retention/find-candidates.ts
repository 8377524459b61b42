import type { CallContext } from "../db/call-context.js";
import { rowKey, type NamespaceKey } from "../saver/model/keys.js";
import type { DeletionCandidates } from "./find-needed.js";
import { type CandidateScope, selectCandidates, selectExisting } from "./queries/candidates.js";
import {
  type Cutoffs,
  type NamespaceHead,
  type ParentCheckpoint,
  parentsOfCall,
  type SubgraphCalls,
} from "./subgraph-calls.js";
import { chunksOf, portionsOf } from "../saver/model/portions.js";
import { selectNamespaceHeads, selectNamespaces } from "./queries/namespaces-of-threads.js";
import { threadPages } from "../saver/thread-pages.js";

/** The candidates that a retention rule selects in a namespace. */
export interface RetentionCandidates extends DeletionCandidates {
  /** Whether they are all checkpoints of the namespace. */
  readonly isWhole: boolean;
}

/** Finds the candidates of a page of namespaces, and omits namespaces without any. */
export async function findCandidates(
  call: CallContext,
  page: readonly NamespaceHead[],
  calls: SubgraphCalls,
  { cutoff }: Cutoffs,
): Promise<RetentionCandidates[]> {
  const stored = await storedParents(call, page);
  const scopes = page.flatMap((head): CandidateScope[] => {
    const { key, isSelected, oldestKeptId } = head;
    const isStored = (parent: ParentCheckpoint) =>
      stored.has(rowKey(key.threadId, parent.checkpointNs, parent.checkpointId));
    if (calls.isOver(head, isStored)) return [{ ...key, below: undefined }];
    return isSelected && oldestKeptId !== null ? [{ ...key, below: oldestKeptId }] : [];
  });
  const ids = await selectCandidates(call, scopes, cutoff);
  return scopes
    .map(({ threadId, checkpointNs, below }, at) => ({
      key: { threadId, checkpointNs },
      ids: ids[at] ?? [],
      isWhole: below === undefined,
    }))
    .filter((each) => each.ids.length > 0);
}

/** The row keys of the parent checkpoints of a page's subgraph calls that exist. */
async function storedParents(
  call: CallContext,
  page: readonly NamespaceHead[],
): Promise<ReadonlySet<string>> {
  const parents = page.flatMap((head) =>
    parentsOfCall(head).map((parent) => ({ ...parent, threadId: head.key.threadId })),
  );
  const existing = await selectExisting(call, parents);
  const stored = parents.filter((_, at) => existing.has(at));
  return new Set(
    stored.map(({ threadId, checkpointNs, checkpointId }) => rowKey(threadId, checkpointNs, checkpointId)),
  );
}

/** How many heads one statement reads: a thread may have any number of namespaces. */
const HEADS_PER_STATEMENT = 1_000;

/** How many namespaces and checkpoints a page has at most. Their checkpoint ids and orphaned values are held in memory. */
const PAGE = { rows: 200, size: 10_000 };

/** The namespaces to read, and how many checkpoints are kept of each. */
interface PageScope {
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
