import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { LibraryDatabase } from "../../../db/checkpoint-database.js";
import type { StatementBuilder } from "../../../db/statements/statement.js";
import type { RecordScope } from "../../model/stored-record.js";
import type { RecordDialect, ZonedTimes } from "../record-dialect.js";
import type { RecordRow } from "../record-row.js";
import { scopeColumn } from "./scope-column.js";

/** Which statement lists records. */
export interface ListShape {
  readonly by: RecordScope["by"];
  readonly order: "asc" | "desc";
  /** `one` is planned for one record, where a parameter would be planned for any number of them. */
  readonly limit: "none" | "one" | "parameter";
  /** Whether to sort by the times instead of by what their column holds; see {@link ZonedTimes}. */
  readonly byInstant: boolean;
}

export interface ListParams {
  readonly scope: string;
  readonly limit: number | undefined;
}

export interface IdParams {
  readonly id: string;
}

export interface PageParams {
  readonly after: string | undefined;
  readonly limit: number;
}

export function loadRecord(dialect: RecordDialect): StatementBuilder<IdParams, RecordRow> {
  return (db, parameter) => select(db, dialect).where("id", "=", parameter("id"));
}

/** Reads the version of a record only. */
export const loadVersion: StatementBuilder<IdParams, Pick<RecordRow, "version">> = (db, parameter) =>
  db.selectFrom("checkpoint_store").where("id", "=", parameter("id")).select("version");

/** A row of a list. */
export interface ListedRow extends RecordRow {
  /** 1 where a record of the scope has a time in another zone, so that the list has to be sorted by instant. */
  readonly elsewhere?: number | bigint;
}

/** Lists the records of a scope: by time, then by version, then by the bytes of the id. */
export function listRecords(
  dialect: RecordDialect,
  { by, order, limit, byInstant }: ListShape,
): StatementBuilder<ListParams, ListedRow> {
  const { zoned, bytesOf, convertsColumns } = dialect;
  return (db, parameter) => {
    const sorted = db
      .selectFrom("checkpoint_store")
      .where(scopeColumn(by), "=", parameter("scope"))
      .orderBy(
        (eb) =>
          byInstant && zoned !== undefined
            ? zoned.instantOf(eb.ref("checkpoint_store.timestamp"))
            : eb.ref("checkpoint_store.timestamp"),
        order,
      )
      .orderBy("version", order)
      .orderBy((eb) => bytesOf(eb.ref("checkpoint_store.id")), order);
    const count = limit === "one" ? sql.lit(1) : sql<number>`${parameter("limit")}`;
    const listed = limit === "none" ? sorted : sorted.limit(count);
    if (!convertsColumns) {
      const records = listed.select(converted(dialect));
      if (zoned === undefined || byInstant) return records;
      const elsewhere = findElsewhere(db, zoned, by, parameter("scope"));
      return records.select((eb) => sql<number>`${eb.exists(elsewhere)}`.as("elsewhere"));
    }
    // In one select, the database would convert every record of the scope before it sorts them and takes the first ones.
    const columns = listed
      .select(["execution_id", "thread_id", "node_name", "state", "metadata", "timestamp", "version"])
      .select((eb) => sql<string>`${bytesOf(eb.ref("checkpoint_store.id"))}`.as("id"));
    return db
      .selectFrom(columns.as("listed"))
      .select(converted(dialect))
      .orderBy("listed.timestamp", order)
      .orderBy("listed.version", order)
      .orderBy("listed.id", order);
  };
}

/** Finds a record of the scope with a time in another zone than UTC. */
function findElsewhere(
  db: QueryCreator<LibraryDatabase>,
  zoned: ZonedTimes,
  by: RecordScope["by"],
  scope: RawBuilder<string>,
) {
  return db
    .selectFrom("checkpoint_store")
    .where(scopeColumn(by), "=", scope)
    .where((eb) => zoned.isElsewhere(eb.ref("timestamp")))
    .select(sql.lit(1).as("found"));
}

/** Reads records by the bytes of their ids. */
export function readPage(
  dialect: RecordDialect,
  { isFirst }: { readonly isFirst: boolean },
): StatementBuilder<PageParams, RecordRow> {
  return (db, parameter) => {
    const page = select(db, dialect)
      .orderBy((eb) => dialect.bytesOf(eb.ref("checkpoint_store.id")))
      .limit(parameter("limit"));
    if (isFirst) return page;
    return page.where((eb) => eb(dialect.bytesOf(eb.ref("id")), ">", sql<string>`${parameter("after")}`));
  };
}

/** The number of all records. */
export const countRecords: StatementBuilder<object, { readonly records: string | number | bigint }> = (db) =>
  db.selectFrom("checkpoint_store").select((eb) => eb.fn.countAll().as("records"));

function select(db: QueryCreator<LibraryDatabase>, dialect: RecordDialect) {
  return db.selectFrom("checkpoint_store").select(converted(dialect));
}

/** What a row of a record has, converted from the columns of the table. */
function converted({ fromJson, fromTime }: RecordDialect) {
  return [
    "id",
    "execution_id",
    "thread_id",
    "node_name",
    "version",
    fromJson(sql.ref("state")).as("state"),
    fromJson(sql.ref("metadata")).as("metadata"),
    fromTime(sql.ref("timestamp")).as("timestamp"),
  ] as const;
}
