import { throwIfAborted } from "../db/statements/cancellation.js";
import type { CallContext } from "../db/call-context.js";
import { ReplacedValueError, rereadRow } from "../saver/read-long-values.js";
import { nextPageSize } from "../saver/model/portions.js";
import type { TablePage } from "../saver/queries/table-page.js";
import type { FoundProblem } from "./problems.js";

const FIRST_PAGE_SIZE = 32;
const PAGE_LIMITS = { rows: 512, characters: 4 * 2 ** 20 };

/** A table, and how to inspect its rows. */
interface WalkedTable<Row extends object, Key extends object> {
  readonly threadId: string | undefined;
  readonly keyOf: (row: Row) => Key;
  readonly getPage: (page: TablePage<Key>) => Promise<Row[]>;
  /** @param previous - The preceding row on the page. */
  readonly inspect: (row: Row, previous: Row | undefined) => Promise<FoundProblem[]>;
  /** The length of a row, in characters. */
  readonly sizeOf: (row: Row) => number;
  /** Whether a row's value may be long and is not in memory yet. Such rows are inspected one by one. Default: none. */
  readonly isLong?: (row: Row) => boolean;
}

/** The rows of a page, and the problems found in them. */
export interface WalkedPage<Row> {
  readonly rows: readonly Row[];
  readonly problems: readonly FoundProblem[];
}

/** Reads a table in pages, in the order of its primary key, and inspects each row. */
export async function* walkPages<Row extends object, Key extends object>(
  call: CallContext,
  table: WalkedTable<Row, Key>,
): AsyncGenerator<WalkedPage<Row>, undefined> {
  let begin: TablePage<Key>["begin"];
  let pageSize = FIRST_PAGE_SIZE;
  for (;;) {
    throwIfAborted(call.signal);
    const rows = await table.getPage({ threadId: table.threadId, begin, pageSize });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { rows, problems: await inspectAll(call, table, rows) };
    if (rows.length < pageSize) return;
    begin = { key: table.keyOf(last), inclusive: false };
    const size = rows.reduce((sum, row) => sum + table.sizeOf(row), 0);
    pageSize = nextPageSize(pageSize, size / rows.length, PAGE_LIMITS);
  }
}

async function inspectAll<Row extends object, Key extends object>(
  call: CallContext,
  table: WalkedTable<Row, Key>,
  rows: readonly Row[],
): Promise<FoundProblem[]> {
  const found: FoundProblem[][] = [];
  const inspect = async (row: Row, index: number): Promise<void> => {
    found[index] = await inspectAndRecheck(table, row, rows[index - 1]);
  };
  const { isLong = () => false } = table;
  const entries = [...rows.entries()];
  await Promise.all(entries.filter(([, row]) => !isLong(row)).map(([index, row]) => inspect(row, index)));
  for (const [index, row] of entries) {
    if (!isLong(row)) continue;
    throwIfAborted(call.signal);
    await inspect(row, index);
  }
  return found.flat();
}

/**
 * Inspects a row, and rereads it before it reports a problem: a concurrent writer may have replaced or deleted the row, or
 * stored what it lacked.
 */
async function inspectAndRecheck<Row extends object, Key extends object>(
  table: WalkedTable<Row, Key>,
  row: Row,
  previous: Row | undefined,
): Promise<FoundProblem[]> {
  try {
    const problems = await table.inspect(row, previous);
    if (problems.length === 0) return [];
  } catch (error) {
    if (!(error instanceof ReplacedValueError)) throw error;
  }
  const { threadId, keyOf } = table;
  const again = await rereadRow({ keyOf, getPage: (page) => table.getPage({ threadId, ...page }) }, row);
  if (again === undefined) return [];
  try {
    return await table.inspect(again, previous);
  } catch (error) {
    // The row was replaced twice meanwhile: a writer is at work on it.
    if (error instanceof ReplacedValueError) return [];
    throw error;
  }
}
