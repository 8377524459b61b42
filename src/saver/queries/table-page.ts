import { type RawBuilder, sql, type SqlBool, type QueryCreator } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { NamespaceKey } from "../model/keys.js";

/** The rows of one page of a table, in the order of its primary key. */
export interface TablePage<Key extends object> {
  /** Default: all threads. */
  readonly threadId: string | undefined;
  /** The key at which the page starts. Default: the first row. */
  readonly begin: { readonly key: Key; readonly inclusive: boolean } | undefined;
  /** The largest number of rows. */
  readonly pageSize: number;
}

/** What the statement of a page is built for. */
export interface PageShape {
  readonly ofThread: boolean;
  /** How the rows of the page compare with the key at which it starts. */
  readonly begin: "any" | ">" | ">=";
}

/** Returns the shape of a page. */
export function pageShapeOf(page: TablePage<object>): PageShape {
  const ofThread = page.threadId !== undefined;
  const begin = page.begin === undefined ? "any" : page.begin.inclusive ? ">=" : ">";
  return { ofThread, begin };
}

/** The parameters of every statement of a page, beside the key at which it starts. */
export interface PageParams {
  readonly threadId: string;
  readonly pageSize: number;
}

/** Builds the condition of a page. `columns` and `key` are rows in the order of the primary key. */
export function isOnPage(
  { ofThread, begin }: PageShape,
  parameter: Parameter<PageParams>,
  columns: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const thread = ofThread ? sql`stored.thread_id = ${parameter("threadId")}` : sql`true`;
  // In the collation of the columns, which the index has as well.
  const behind = begin === "any" ? sql`true` : sql`${columns} ${sql.raw(begin)} ${key}`;
  return sql<SqlBool>`${thread} and ${behind}`;
}

/** Selects the id of a namespace's newest checkpoint. The index on the ids answers it without reading a row. */
export function newestCheckpointId(
  db: Pick<QueryCreator<CheckpointDatabase>, "selectFrom">,
  parameter: Parameter<NamespaceKey>,
) {
  return db
    .selectFrom("checkpoints")
    .select("checkpoint_id")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .orderBy(sql`checkpoint_id collate "C"`, "desc")
    .limit(sql.lit(1));
}
