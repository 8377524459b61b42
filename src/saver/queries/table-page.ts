import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";

/** Which rows of a table a page has, in the order of its primary key. */
export interface TablePage<Key extends object> {
  /** All threads where it is `undefined`. */
  readonly threadId: string | undefined;
  /** Where the page begins; with the first row where it is `undefined`. */
  readonly begin: { readonly key: Key; readonly inclusive: boolean } | undefined;
  /** How many rows it has at most. */
  readonly pageSize: number;
}

/** What a statement for a page is built for. */
export interface PageShape {
  readonly ofThread: boolean;
  /** How the page's rows compare with the key that it begins at. */
  readonly begin: "any" | ">" | ">=";
}

/** The shape of a page, and a text that tells it from other shapes. */
export function pageShapeOf(page: TablePage<object>): PageShape & { readonly id: string } {
  const ofThread = page.threadId !== undefined;
  const begin = page.begin === undefined ? "any" : page.begin.inclusive ? ">=" : ">";
  return { ofThread, begin, id: `${String(ofThread)} ${begin}` };
}

/** What every statement for a page takes, beside the key that it begins at. */
export interface PageParams {
  readonly threadId: string;
  readonly pageSize: number;
}

/** The condition of a page; `columns` and `key` are rows in the order of the primary key. */
export function isOnPage(
  { ofThread, begin }: PageShape,
  parameter: Parameter<PageParams>,
  columns: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const thread = ofThread ? sql`stored.thread_id = ${parameter("threadId")}` : sql`true`;
  // In the columns' own collation, as the index has it.
  const behind = begin === "any" ? sql`true` : sql`${columns} ${sql.raw(begin)} ${key}`;
  return sql<SqlBool>`${thread} and ${behind}`;
}
