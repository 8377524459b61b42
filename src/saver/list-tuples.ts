import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { throwIfAborted } from "../db/statements/cancellation.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { ListRequest } from "./boundary/parse-read.js";
import { type CheckpointKey, compareText, rowKey } from "./model/keys.js";
import { nextPageSize } from "./model/portions.js";
import { decodeTuple } from "./codec/decode-tuple.js";
import { groupPage, type TupleParts } from "./codec/group-rows.js";
import { inlineOfAncestors, readTuple } from "./read-tuple.js";
import { valueReader, ReplacedValueError } from "./read-long-values.js";
import { bytesRead } from "./codec/decode-value.js";
import { runCall } from "../db/run-call.js";
import { saverOperations } from "./call/saver-operations.js";
import { getRowsOfTuples } from "./queries/get-rows-of-tuples.js";
import type { ListPage, ListScope } from "./queries/list-scope.js";
import { listKeys, listTupleRows } from "./queries/list-tuple-rows.js";
import type { PageRow, TupleRow } from "./queries/tuple-row.js";
import type { SaverCall } from "./call/saver-call.js";

/** The first page is small, since many callers want only the newest checkpoint. */
const FIRST_PAGE_SIZE = 2;
/** The characters of a page are base64. */
const PAGE_LIMITS = { rows: 128, characters: 2 * 2 ** 20 };
/**
 * How many keys are read at once: as many as Postgres sorts without a file, and fewer at first, since a list may end before. They take 250
 * bytes each.
 */
const KEY_PORTIONS = { first: 1_000, most: 10_000 };
/** A list of a thread that is read further than this reads its keys ahead. */
const PAGES_WITHOUT_KEYS = 2;

/**
 * Reads a list page by page, as far as the caller iterates, so a thread is never in memory as a whole. A checkpoint
 * that is stored or deleted in the meantime may or may not be returned. None is returned twice.
 *
 * No index has the order of a list that spans threads, or many namespaces. So the keys of many pages are read at once, and the pages by
 * their keys.
 */
export async function* listTuples(
  call: SaverCall,
  request: ListRequest,
  serde: ContextualSerializer,
): AsyncGenerator<CheckpointTuple> {
  const ofAncestors = inlineOfAncestors(call);
  // Long values are fetched only here. Where one was replaced since the page was read, its checkpoint is read again.
  const decodeOrReread = async (parts: TupleParts): Promise<CheckpointTuple | undefined> => {
    try {
      // Each checkpoint is a read of its own, because the caller may drop the one before.
      return await decodeTuple(parts, request.selection, {
        ...valueReader(call, serde),
        inlineOfAncestors: ofAncestors,
      });
    } catch (error) {
      if (!(error instanceof ReplacedValueError)) {
        call.telemetry?.failedLater(saverOperations.list, error);
        throw error;
      }
      return readTuple(call, parts.key, request.selection, serde);
    }
  };
  const scope = { ...request.scope, newestOnly: call.policy.keepLast === 1 || undefined };
  const ahead = new KeysAhead(scope);
  let remaining = request.limit ?? Infinity;
  let pageSize = FIRST_PAGE_SIZE;
  let after: CheckpointKey | undefined;
  for (let pages = 0; remaining > 0; pages++) {
    const wanted = Math.min(pageSize, remaining);
    const page = { after, pageSize: wanted };
    const most = remaining;
    const readsAhead = isReadAhead(scope, pages);
    const { tuples, sizePerTuple, listed } = await runCall(call, saverOperations.list, async (part) =>
      readPage(
        part,
        { ...request, scope },
        page,
        readsAhead ? await ahead.next(part, page, most) : undefined,
      ),
    );
    for (const parts of tuples) {
      throwIfAborted(call.signal);
      const tuple = await decodeOrReread(parts);
      if (tuple !== undefined) yield tuple;
    }
    after = listed.at(-1);
    if (after === undefined || listed.length < wanted) return;
    remaining -= tuples.length;
    pageSize = nextPageSize(pageSize, sizePerTuple, PAGE_LIMITS);
  }
}

interface Page {
  readonly tuples: readonly TupleParts[];
  /** In characters of base64. */
  readonly sizePerTuple: number;
  /** The checkpoints of the page. Some may have no tuple: they were deleted before it was read. */
  readonly listed: readonly CheckpointKey[];
}

/** Whether the keys of a page are read before its rows. */
function isReadAhead({ threadId, checkpointNs, checkpointId }: ListScope, pages: number): boolean {
  if (threadId === undefined) return true;
  return checkpointNs === undefined && checkpointId === undefined && pages >= PAGES_WITHOUT_KEYS;
}

/** The keys that a list has read ahead. */
class KeysAhead {
  readonly #scope: ListScope;
  readonly #keys: CheckpointKey[] = [];
  #portion = KEY_PORTIONS.first;
  #isEnd = false;

  constructor(scope: ListScope) {
    this.#scope = scope;
  }

  /**
   * Returns the keys of a page: fewer than it has room for only at the end of the list.
   *
   * @param most - How many more the list may return.
   */
  async next(
    call: SaverCall,
    { after, pageSize }: ListPage,
    most: number,
  ): Promise<readonly CheckpointKey[]> {
    while (this.#keys.length < pageSize && !this.#isEnd) {
      const page = { after: this.#keys.at(-1) ?? after, pageSize: Math.min(this.#portion, most) };
      const read = await listKeys(call, this.#scope, page);
      this.#keys.push(...read);
      this.#isEnd = read.length < page.pageSize;
      this.#portion = KEY_PORTIONS.most;
    }
    return this.#keys.splice(0, pageSize);
  }
}

// The rows are local to this function. Otherwise their text would stay in memory beside the bytes that were decoded
// from it.
async function readPage(
  call: SaverCall,
  { scope, selection }: Pick<ListRequest, "scope" | "selection">,
  page: ListPage,
  keys: readonly CheckpointKey[] | undefined,
): Promise<Page> {
  const rows =
    keys === undefined
      ? await listTupleRows(call, scope, selection, page)
      : keys.length === 0
        ? []
        : await getRowsOfTuples(call, keys, selection);
  if (call.observer !== undefined) call.observer.addBytes(bytesRead(rows.map(({ row }) => row)));
  const tuples = groupPage(rows, call.policy).sort(newestFirst);
  const size = rows.reduce((sum, { row }) => sum + sizeOf(row), 0);
  const shared = call.policy.followsChains === true ? sharedSize(rows) : 0;
  const sizePerTuple = (size - shared) / Math.max(tuples.length, 1);
  return { tuples, sizePerTuple, listed: keys ?? tuples.map(({ key }) => key) };
}

function sizeOf(row: TupleRow): number {
  return row.part === "checkpoint" ? 0 : (row.blob?.length ?? 0);
}

/** The size of the values that others on the page are made of: they are on it once, however many checkpoints it has. */
function sharedSize(rows: readonly PageRow[]): number {
  const values = rows.flatMap(({ thread_id, checkpoint_ns, row }) =>
    row.part === "value" ? [{ row, channel: rowKey(thread_id, checkpoint_ns, row.channel) }] : [],
  );
  const bases = new Set(
    values.flatMap(({ row, channel }) => (row.base === null ? [] : [rowKey(channel, row.base)])),
  );
  return values.reduce(
    (sum, { row, channel }) => sum + (bases.has(rowKey(channel, row.version ?? "")) ? sizeOf(row) : 0),
    0,
  );
}

// A UNION ALL guarantees no order.
function newestFirst({ key: a }: TupleParts, { key: b }: TupleParts): number {
  return (
    compareText(b.checkpointId, a.checkpointId) ||
    compareText(b.threadId, a.threadId) ||
    compareText(b.checkpointNs, a.checkpointNs)
  );
}
