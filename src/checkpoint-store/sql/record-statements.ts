import { Statement, type StatementBuilder, StatementFamily } from "../../db/statements/statement.js";
import {
  type RecordDialect,
  type ZonedTimes,
  type RecordRow,
  type RecordParams,
  RenameTable,
} from "./record-dialect.js";
import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { RecordScope } from "../model/stored-record.js";

/** The statements of a checkpoint store. */
export type RecordStatements = ReturnType<typeof recordStatements>;

/**
 * Returns the statements of a checkpoint store on one kind of database and one table. Each is compiled once, when a call first needs it.
 *
 * @param table - Any name. It is quoted.
 */
export function recordStatements(dialect: RecordDialect, table: string) {
  const renaming = new RenameTable(table);
  const onTable =
    <Params, Row>(build: StatementBuilder<Params, Row>): StatementBuilder<Params, Row> =>
    (db, parameter) =>
      build(db.withPlugin(renaming), parameter);
  const one = <Params extends object, Row>(build: StatementBuilder<Params, Row>): Statement<Params, Row> =>
    new Statement(onTable(build), dialect.statements);
  const each = <Shape, Params extends object, Row>(
    builderOf: (shape: Shape) => StatementBuilder<Params, Row>,
  ): StatementFamily<Shape, Params, Row> =>
    new StatementFamily((shape: Shape) => onTable(builderOf(shape)), dialect.statements);
  return {
    save: each((onlyNewer: boolean) => saveRecord(dialect, onlyNewer)),
    load: one(loadRecord(dialect)),
    version: one(loadVersion),
    list: each((shape: ListShape) => listRecords(dialect, shape)),
    delete: one(deleteRecord),
    clear: each(clearRecords),
    trim: each((by: RecordScope["by"]) => trimRecords(dialect, by)),
    count: one(countRecords),
    page: each((shape: Parameters<typeof readPage>[1]) => readPage(dialect, shape)),
  };
}

/** Which statement lists records. */
interface ListShape {
  readonly by: RecordScope["by"];
  readonly order: "asc" | "desc";
  /** `one` is planned for one record, where a parameter would be planned for any number of them. */
  readonly limit: "none" | "one" | "parameter";
  /** Whether to sort by the times instead of by what their column holds; see {@link ZonedTimes}. */
  readonly byInstant: boolean;
}

interface ListParams {
  readonly scope: string;
  readonly limit: number | undefined;
}

interface IdParams {
  readonly id: string;
}

interface PageParams {
  readonly after: string | undefined;
  readonly limit: number;
}

function loadRecord(dialect: RecordDialect): StatementBuilder<IdParams, RecordRow> {
  return (db, parameter) => select(db, dialect).where("id", "=", parameter("id"));
}

/** Reads the version of a record only. */
const loadVersion: StatementBuilder<IdParams, Pick<RecordRow, "version">> = (db, parameter) =>
  db.selectFrom("checkpoint_store").where("id", "=", parameter("id")).select("version");

/** A row of a list. */
export interface ListedRow extends RecordRow {
  /** 1 where a record of the scope has a time in another zone, so that the list has to be sorted by instant. */
  readonly elsewhere?: number | bigint;
}

/** Lists the records of a scope: by time, then by version, then by the bytes of the id. */
function listRecords(
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
function readPage(
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
const countRecords: StatementBuilder<object, { readonly records: string | number | bigint }> = (db) =>
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

/**
 * Inserts a record, or replaces the one with its id.
 *
 * @param onlyNewer - Whether to replace only a record with a smaller version, or an equal record.
 */
function saveRecord(
  { toJson, toTime }: RecordDialect,
  onlyNewer: boolean,
): StatementBuilder<RecordParams, { readonly saved: number }> {
  return (db, parameter) =>
    db
      .insertInto("checkpoint_store")
      .values({
        id: parameter("id"),
        execution_id: parameter("executionId"),
        thread_id: parameter("threadId"),
        node_name: parameter("nodeName"),
        state: toJson(parameter("state")),
        metadata: toJson(parameter("metadata")),
        timestamp: toTime(parameter("timestamp")),
        version: parameter("version"),
      })
      .onConflict((conflict) => {
        const update = conflict.column("id").doUpdateSet((eb) => ({
          execution_id: eb.ref("excluded.execution_id"),
          thread_id: eb.ref("excluded.thread_id"),
          node_name: eb.ref("excluded.node_name"),
          state: sql<string>`${eb.ref("excluded.state")}`,
          metadata: sql<string | null>`${eb.ref("excluded.metadata")}`,
          timestamp: eb.ref("excluded.timestamp"),
          version: eb.ref("excluded.version"),
        }));
        if (!onlyNewer) return update;
        return update.where((eb) =>
          eb.or([
            eb("checkpoint_store.version", "<", eb.ref("excluded.version")),
            // The metadata has the ids of the execution and of the thread.
            eb.and([
              eb("checkpoint_store.version", "=", eb.ref("excluded.version")),
              eb("checkpoint_store.timestamp", "=", eb.ref("excluded.timestamp")),
              eb("checkpoint_store.node_name", "=", eb.ref("excluded.node_name")),
              eb("checkpoint_store.metadata", "is not distinct from", eb.ref("excluded.metadata")),
              eb("checkpoint_store.state", "=", eb.ref("excluded.state")),
            ]),
          ]),
        );
      })
      .returning(sql<number>`1`.as("saved"));
}

/** A row for each deleted record. */
interface DeletedRow {
  readonly deleted: number;
}

interface TrimParams {
  readonly scope: string;
  /** The id of the record that is never deleted. */
  readonly saved: string;
  readonly keep: number;
}

const deleteRecord: StatementBuilder<IdParams, DeletedRow> = (db, parameter) =>
  db.deleteFrom("checkpoint_store").where("id", "=", parameter("id")).returning(sql.lit(1).as("deleted"));

function clearRecords(by: RecordScope["by"]): StatementBuilder<Pick<ListParams, "scope">, DeletedRow> {
  return (db, parameter) =>
    db
      .deleteFrom("checkpoint_store")
      .where(scopeColumn(by), "=", parameter("scope"))
      .returning(sql.lit(1).as("deleted"));
}

/**
 * Deletes all but the newest records of a scope, and never the saved one.
 *
 * It compares with the newest of them instead of their ids, so that Postgres looks again at a record that another transaction changes
 * meanwhile: it may have become newer, or belong to another scope.
 */
function trimRecords(
  { zoned, bytesOf }: RecordDialect,
  by: RecordScope["by"],
): StatementBuilder<TrimParams, DeletedRow> {
  return (db, parameter) =>
    db
      .deleteFrom("checkpoint_store")
      .where(scopeColumn(by), "=", parameter("scope"))
      .where("id", "<>", parameter("saved"))
      .where((eb) => {
        const time = zoned?.instantOf(eb.ref("timestamp")) ?? eb.ref("timestamp");
        const id = bytesOf(eb.ref("checkpoint_store.id"));
        const newestOfRest = eb
          .selectFrom("checkpoint_store")
          .where(scopeColumn(by), "=", parameter("scope"))
          .select([sql`${time}`.as("time"), "version", sql`${id}`.as("id")])
          .orderBy(sql`${time}`, "desc")
          .orderBy("version", "desc")
          .orderBy(id, "desc")
          .limit(sql.lit(1))
          .offset(parameter("keep"));
        return sql<SqlBool>`(${time}, ${eb.ref("version")}, ${id}) <= ${newestOfRest}`;
      })
      .returning(sql.lit(1).as("deleted"));
}

const COLUMNS = { execution: "execution_id", thread: "thread_id" } as const;

/** Returns the column that has the id of a scope. */
function scopeColumn(by: RecordScope["by"]): (typeof COLUMNS)[RecordScope["by"]] {
  return COLUMNS[by];
}
