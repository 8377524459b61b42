import { throwIfAborted } from "../db/statements/bounded-run.js";
import type { CallContext } from "../db/call-context.js";
import { ReplacedValueError } from "../saver/long-values.js";
import type { TablePage } from "../saver/queries/table-page.js";
import type { Problem } from "./audit-types.js";

/** Few at first, more at a time while they are short. */
const FIRST_PAGE_SIZE = 32;
const PAGE_GROWTH = 4;
const LARGEST_PAGE_SIZE = 512;
/** What a page may bring, in characters, as far as the page before it allows to tell. */
const PAGE_BUDGET = 4 * 2 ** 20;

/** A table that is gone through. */
export interface WalkedTable<Row extends object, Key extends object> {
  readonly threadId: string | undefined;
  readonly keyOf: (row: Row) => Key;
  readonly getPage: (page: TablePage<Key>) => Promise<Row[]>;
  /** @param previous - The row before it on the page. */
  readonly inspect: (row: Row, previous: Row | undefined) => Promise<Problem[]>;
  /** The length of what a row brings, in characters. */
  readonly sizeOf: (row: Row) => number;
  /** Whether a row's value may be long, and is not in memory yet: such rows are looked at one by one. */
  readonly isLong: (row: Row) => boolean;
}

/** Rows that were looked at, and what is wrong with them. */
export interface WalkedPage<Row> {
  readonly rows: readonly Row[];
  readonly problems: readonly Problem[];
}

/** Goes through a table in the order of its primary key, page by page, and looks at each row once. */
export async function* walkPages<Row extends object, Key extends object>(
  call: CallContext,
  table: WalkedTable<Row, Key>,
): AsyncGenerator<WalkedPage<Row>> {
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
    pageSize = nextPageSize(pageSize, size / rows.length);
  }
}

async function inspectAll<Row extends object, Key extends object>(
  call: CallContext,
  table: WalkedTable<Row, Key>,
  rows: readonly Row[],
): Promise<Problem[]> {
  const found: Problem[][] = [];
  const inspect = async (row: Row, index: number): Promise<void> => {
    found[index] = await inspectTwice(table, row, rows[index - 1]);
  };
  const entries = [...rows.entries()];
  await Promise.all(
    entries.filter(([, row]) => !table.isLong(row)).map(([index, row]) => inspect(row, index)),
  );
  for (const [index, row] of entries) {
    if (!table.isLong(row)) continue;
    throwIfAborted(call.signal);
    await inspect(row, index);
  }
  return found.flat();
}

/**
 * What looks wrong is read once more, by a statement of its own: it may have been replaced or deleted meanwhile, or what
 * it lacked may have come.
 */
async function inspectTwice<Row extends object, Key extends object>(
  table: WalkedTable<Row, Key>,
  row: Row,
  previous: Row | undefined,
): Promise<Problem[]> {
  try {
    const problems = await table.inspect(row, previous);
    if (problems.length === 0) return [];
  } catch (error) {
    if (!(error instanceof ReplacedValueError)) throw error;
  }
  const key = table.keyOf(row);
  const [again] = await table.getPage({
    threadId: table.threadId,
    begin: { key, inclusive: true },
    pageSize: 1,
  });
  if (again === undefined || !isSameKey(table.keyOf(again), key)) return [];
  try {
    return await table.inspect(again, previous);
  } catch (error) {
    // Replaced twice within moments: somebody is at work on it.
    if (error instanceof ReplacedValueError) return [];
    throw error;
  }
}

function isSameKey(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function nextPageSize(pageSize: number, sizeOfEach: number): number {
  const affordable = Math.floor(PAGE_BUDGET / Math.max(sizeOfEach, 1));
  return Math.max(1, Math.min(pageSize * PAGE_GROWTH, LARGEST_PAGE_SIZE, affordable));
}
