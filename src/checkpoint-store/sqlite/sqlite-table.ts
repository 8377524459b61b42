import { sql, type SqlBool, type Compilable, type Kysely } from "kysely";
import { SQLITE } from "../../db/statements/statement-dialect.js";
import { type RecordDialect, type ZonedTimes, RenameTable } from "../sql/record-dialect.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { InvalidConfigError } from "../../errors/index.js";
import { CHECKPOINT_STORE_COLUMNS } from "../../migrations/checkpoint-store-set.js";
import { isNameOfOtherTable } from "../../migrations/checkpoint-table.js";
import type { SqliteSender } from "./sqlite-sender.js";

/** How times are sorted that programs of Go have stored in the zone of their machine. */
const ZONED: ZonedTimes = {
  // The partial indexes that `setup` creates have the same expression.
  isElsewhere: (column) => sql<SqlBool>`substr(${column}, -6) <> '+00:00'`,
  instantOf: (column) => sql<number>`julianday(${column})`,
};

/** SQLite. JSON and times are texts, as langgraphgo stores them. */
export const SQLITE_RECORDS: RecordDialect = {
  statements: SQLITE,
  // Programs of Go can't read NULL.
  noMetadata: "null",
  toJson: (text) => text,
  fromJson: (column) => sql<string>`${column}`,
  convertsColumns: false,
  toTime: (text) => text,
  fromTime: (column) => sql<string>`${column}`,
  // As SQLite compares texts anyway.
  bytesOf: (id) => id,
  timeText,
  parseTime,
  zoned: ZONED,
};

const FRACTION = /\.?0*Z$/;

const STORED = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * The text that stores a time: what Go's driver for SQLite writes for it, without zeros at the end. So equal times are equal texts, and the
 * order of texts is that of the times, whichever program wrote them, as long as all are in UTC.
 */
function timeText(time: Date): string {
  return time.toISOString().replace("T", " ").replace(FRACTION, "+00:00");
}

/** Returns the time of a text that {@link timeText} or a program of Go wrote, cut to milliseconds. It is invalid where the text is no time. */
function parseTime(text: unknown): Date {
  const parts = typeof text === "string" ? STORED.exec(text) : null;
  if (parts === null) return new Date(NaN);
  const [, date = "", time = "", fraction = "", zone = "Z"] = parts;
  return new Date(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
}

const COLUMNS = [...CHECKPOINT_STORE_COLUMNS, "thread_id"];

interface Column {
  readonly name: string;
  /** 1 for a column that can't be null. */
  readonly notnull: number | bigint;
  readonly dflt_value: string | null;
}

/** Whether the table has all columns. */
export async function isSetUp(sender: SqliteSender, table: string): Promise<boolean> {
  const columns = await sender.send(columnsOf.bind("main", { table }));
  return COLUMNS.every((name) => columns.some((column) => column.name === name));
}

/**
 * Creates the table, or adopts one of langgraphgo. Any number of processes may do so at the same time.
 *
 * @throws InvalidConfigError for a table of another program.
 */
export async function setUpTable(sender: SqliteSender, table: string): Promise<void> {
  const db = SQLITE.compiler().withPlugin(new RenameTable(table));
  const found = await sender.send(columnsOf.bind("main", { table }));
  if (found.length === 0 && isNameOfOtherTable(table)) {
    throw new InvalidConfigError(
      "table",
      `must not be "${table}", which is another table of LangGraph, unless langgraphgo has created it`,
    );
  }
  await sender.send(bound(createTable(db)));
  const columns = await sender.send(columnsOf.bind("main", { table }));
  refuseForeign(columns, table);
  if (!columns.some(({ name }) => name === "thread_id")) await addThreads(sender, db, table);
  for (const index of indexes(db, table)) await sender.send(bound(index));
}

function createTable(db: Kysely<LibraryDatabase>): Compilable {
  return (
    db.schema
      .createTable("checkpoint_store")
      .ifNotExists()
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("execution_id", "text", (column) => column.notNull())
      .addColumn("thread_id", "text")
      .addColumn("node_name", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("metadata", "text")
      // Go's driver reads a time only from a column of this type.
      .addColumn("timestamp", "datetime", (column) => column.notNull())
      .addColumn("version", "integer", (column) => column.notNull())
  );
}

function refuseForeign(columns: readonly Column[], table: string): void {
  const missing = CHECKPOINT_STORE_COLUMNS.filter((name) => !columns.some((column) => column.name === name));
  const required = columns.filter(
    ({ name, notnull, dflt_value }) =>
      !COLUMNS.includes(name) && Number(notnull) === 1 && dflt_value === null,
  );
  if (missing.length === 0 && required.length === 0) return;
  throw new InvalidConfigError(
    "table",
    `must not be "${table}", which another program has created: ` +
      (missing.length > 0
        ? `it has no column ${missing.join(", ")}`
        : `its column ${required.map(({ name }) => name).join(", ")} can't be null`),
  );
}

/** Adds the column of the threads, and fills it. */
async function addThreads(sender: SqliteSender, db: Kysely<LibraryDatabase>, table: string): Promise<void> {
  const add = db.schema.alterTable("checkpoint_store").addColumn("thread_id", "text");
  const thread = sql<string>`json_extract(metadata, '$.thread_id')`;
  const fill = db
    .updateTable("checkpoint_store")
    .set({ thread_id: thread })
    .where(
      sql<boolean>`json_valid(metadata) and json_type(metadata, '$.thread_id') = 'text' and ${thread} <> ''`,
    );
  try {
    await sender.transact({ statements: [bound(add), bound(fill)] });
  } catch (error) {
    // Another process may have added it meanwhile.
    if (!(await isSetUp(sender, table))) throw error;
  }
}

/**
 * The indexes of lists, and the partial ones that find times in another zone than UTC. Only programs of Go store such times, so the latter are
 * empty for others.
 */
function indexes(db: Kysely<LibraryDatabase>, table: string): Compilable[] {
  const index = (name: string, column: "execution_id" | "thread_id") =>
    db.schema
      .createIndex(`${table}_${name}_idx`)
      .ifNotExists()
      .on("checkpoint_store")
      .columns([column, "timestamp"]);
  const isElsewhere = ZONED.isElsewhere(sql.ref("timestamp"));
  return [
    index("execution", "execution_id"),
    index("execution_zone", "execution_id").where(isElsewhere),
    index("thread", "thread_id").where("thread_id", "is not", null),
    index("thread_zone", "thread_id").where("thread_id", "is not", null).where(isElsewhere),
  ];
}

function bound(query: Compilable): BoundStatement<unknown> {
  const { sql: text, parameters } = query.compile();
  return { name: text, sql: text, parameters };
}

const columnsOf = new Statement<{ readonly table: string }, Column>(
  (db, parameter) =>
    db
      .selectFrom(sql<Column>`pragma_table_info(${parameter("table")})`.as<"info">(sql`info`))
      .select(["name", "notnull", "dflt_value"]),
  SQLITE,
);
