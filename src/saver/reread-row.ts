import { isDeepStrictEqual } from "node:util";
import type { TablePage } from "./queries/table-page.js";
import { ReplacedValueError, readUnreplaced } from "./replaced-value.js";

/** How the rows of a table are read in pages. */
export interface RereadTable<Row, Key extends object> {
  readonly keyOf: (row: Row) => Key;
  readonly getPage: (page: Omit<TablePage<Key>, "threadId">) => Promise<Row[]>;
}

/** Reads a row of a page again. Returns `undefined` where it was deleted. */
export async function rereadRow<Row, Key extends object>(
  { keyOf, getPage }: RereadTable<Row, Key>,
  row: Row,
): Promise<Row | undefined> {
  const key = keyOf(row);
  const [again] = await getPage({ begin: { key, inclusive: true }, pageSize: 1 });
  return again !== undefined && isDeepStrictEqual(keyOf(again), key) ? again : undefined;
}

/**
 * Reads the value of a row of a page, from the row as it is now where it was replaced since the page was read.
 *
 * @returns `undefined` where the row was deleted.
 * @throws ReplacedValueError where it is replaced several times.
 */
export async function readOfRow<Row, Key extends object, T>(
  table: RereadTable<Row, Key>,
  first: Row,
  read: (row: Row) => Promise<T>,
): Promise<T | undefined> {
  let row = first;
  return readUnreplaced(async () => {
    try {
      return await read(row);
    } catch (error) {
      if (!(error instanceof ReplacedValueError)) throw error;
      const again = await rereadRow(table, row);
      if (again === undefined) return undefined;
      // readUnreplaced tries again, with the new row.
      row = again;
      throw error;
    }
  });
}
