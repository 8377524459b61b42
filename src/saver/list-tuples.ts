import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CheckpointTables } from "../db/checkpoint-tables.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { ListRequest } from "./boundary/parse-list.js";
import type { CheckpointKey } from "./checkpoint-key.js";
import { compareText } from "./codec/compare-text.js";
import { decodeTuple } from "./codec/decode-tuple.js";
import { groupPage, type TupleParts } from "./codec/group-rows.js";
import { ReplacedValueError, valueReader } from "./long-values.js";
import { listTupleRows } from "./queries/list-tuple-rows.js";
import type { PageRow } from "./queries/tuple-row.js";
import { readTuple } from "./read-tuple.js";

/** Few at first, since many callers want only the newest; then more at a time, while they go on. */
const FIRST_PAGE_SIZE = 8;
const LARGEST_PAGE_SIZE = 128;

/** What a page may bring, in characters of base64, as far as the page before it allows to tell. */
const PAGE_BUDGET = 8 * 2 ** 20;

/**
 * Reads a list page by page, as far as the caller goes on: a thread is never in memory as a whole. A checkpoint that
 * is stored or deleted meanwhile may or may not be seen; none is seen twice.
 */
export async function* listTuples(
  tables: CheckpointTables,
  { scope, selection, limit = Infinity }: ListRequest,
  serde: ContextualSerializer,
): AsyncGenerator<CheckpointTuple> {
  const reader = valueReader(tables, serde);
  // Long values are fetched only now. Where one was replaced since the page was read, its checkpoint is read anew.
  const decodeOrReread = async (parts: TupleParts): Promise<CheckpointTuple | undefined> => {
    try {
      return await decodeTuple(parts, selection, reader);
    } catch (error) {
      if (!(error instanceof ReplacedValueError)) throw error;
      return readTuple(tables, parts.key, selection, serde);
    }
  };
  let remaining = limit;
  let pageSize = FIRST_PAGE_SIZE;
  let after: CheckpointKey | undefined;
  while (remaining > 0) {
    const wanted = Math.min(pageSize, remaining);
    const rows = await listTupleRows(tables, scope, selection, { after, pageSize: wanted });
    const page = groupPage(rows).sort(newestFirst);
    pageSize = nextPageSize(pageSize, page.length, rows);
    const last = page.at(-1);
    for (const parts of page) {
      const tuple = await decodeOrReread(parts);
      if (tuple !== undefined) yield tuple;
    }
    if (last === undefined || page.length < wanted) return;
    after = last.key;
    remaining -= page.length;
  }
}

/** Twice as many, or as many as the budget allows if they are like those of the page before. */
function nextPageSize(pageSize: number, count: number, rows: readonly PageRow[]): number {
  const size = rows.reduce((sum, { blob }) => sum + (blob?.length ?? 0), 0);
  const affordable = Math.floor((PAGE_BUDGET * count) / size);
  return Math.max(1, Math.min(pageSize * 2, LARGEST_PAGE_SIZE, affordable || LARGEST_PAGE_SIZE));
}

// A UNION ALL promises no order.
function newestFirst({ key: a }: TupleParts, { key: b }: TupleParts): number {
  return (
    compareText(b.checkpointId, a.checkpointId) ||
    compareText(b.threadId, a.threadId) ||
    compareText(b.checkpointNs, a.checkpointNs)
  );
}
