import { type AliasedRawBuilder, type Compilable, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";

/** A row of `checkpoints` to restore. JSONB columns are JSON text. */
export interface RestoredCheckpoint {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly type: string | null;
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/** A row of `checkpoint_blobs` to restore. */
export interface RestoredBlob {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  readonly type: string | null;
  readonly blob: Uint8Array | null;
  /** The version that a splice refers to. Absent or `null` for a whole value. */
  readonly base?: string | null | undefined;
  /** The length of the whole value that a splice stands for. */
  readonly whole_bytes?: number | null | undefined;
}

/** A row of `checkpoint_writes` to restore. */
export interface RestoredWrite {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly task_path: string | null;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  readonly blob: Uint8Array | null;
}

/** A row that was inserted. */
export interface StoredRow {
  /** The length of its value. */
  readonly bytes: number;
}

/** A row that is already stored with different content. */
export interface DifferingRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  /** `null` for a value. */
  readonly checkpoint_id: string | null;
  /** `null` for a checkpoint. */
  readonly channel: string | null;
  /** The version of a value; `null` for other rows. */
  readonly version: string | null;
  /** The task of a write, and its position; `null` for other rows. */
  readonly task_id: string | null;
  readonly idx: number | null;
}

/** The Postgres type that each column is sent as. */
type ColumnTypes<Row> = Readonly<
  Record<keyof Required<Row> & string, "text" | "jsonb" | "integer" | "bytea">
>;

/** The given rows as a table expression. */
type GivenRows<Given> = AliasedRawBuilder<Given, "given">;

/** The two queries over the given rows of a table. */
interface RestoreQueries<Given> {
  /** Inserts the rows whose keys are not stored yet, and locks the stored rows with the other keys. */
  readonly insert: (db: QueryCreator<CheckpointDatabase>, given: GivenRows<Given>) => Compilable<StoredRow>;
  /** Selects the rows that are already stored with different content. */
  readonly selectDiffering: (
    db: QueryCreator<CheckpointDatabase>,
    given: GivenRows<Given>,
  ) => Compilable<DifferingRow>;
}

/** The statements that restore rows of one table. `Given` has the types that the columns of the table accept. */
export class RestoreStatements<Row extends object, Given> {
  readonly #columns: ColumnTypes<Row>;
  readonly #insert: StatementFamily<RowShape, RowParams, StoredRow>;
  readonly #selectDiffering: StatementFamily<RowShape, RowParams, DifferingRow>;

  constructor(columns: ColumnTypes<Row>, { insert, selectDiffering }: RestoreQueries<Given>) {
    this.#columns = columns;
    this.#insert = new StatementFamily(
      (shape) => (db, parameter) => insert(db, givenRows(columns, parameter, shape)),
    );
    this.#selectDiffering = new StatementFamily(
      (shape) => (db, parameter) => selectDiffering(db, givenRows(columns, parameter, shape)),
    );
  }

  /**
   * Inserts the rows whose keys are not stored yet, and returns a row for each. It locks the stored rows with the other keys,
   * so that nobody deletes them before the transaction ends.
   */
  insert(schema: string, rows: readonly Row[]): BoundStatement<StoredRow> {
    const shape = shapeOf(rows);
    return this.#insert.of(shape).bind(schema, toRowParams(this.#columns, rows, shape));
  }

  /** Selects the rows that are already stored with different content. */
  selectDiffering(schema: string, rows: readonly Row[]): BoundStatement<DifferingRow> {
    const shape = shapeOf(rows);
    return this.#selectDiffering.of(shape).bind(schema, toRowParams(this.#columns, rows, shape));
  }
}

/** How rows are sent: one row as a parameter for each column, or many as an array for each column. */
type RowShape = "one" | "many";

/** A single row may be very long, and an array would copy its value. */
function shapeOf(rows: readonly unknown[]): RowShape {
  return rows.length === 1 ? "one" : "many";
}

/** The parameters of a statement, by the names of the columns. */
type RowParams = Readonly<Record<string, unknown>>;

function givenRows<Given>(
  columns: Readonly<Record<string, string>>,
  parameter: (name: string) => RawBuilder<unknown>,
  shape: RowShape,
): GivenRows<Given> {
  const values = Object.entries(columns).map(([name, type]) => {
    if (shape === "one") return sql`${parameter(name)}::${sql.raw(type)}`;
    // The driver sends an array of JSONB as an array of text.
    return type === "jsonb"
      ? sql`${parameter(name)}::text[]::jsonb[]`
      : sql`${parameter(name)}::${sql.raw(type)}[]`;
  });
  const rows =
    shape === "one" ? sql<Given>`(select ${sql.join(values)})` : sql<Given>`unnest(${sql.join(values)})`;
  return rows.as<"given">(sql`given(${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})`);
}

function toRowParams(
  columns: Readonly<Record<string, string>>,
  rows: readonly object[],
  shape: RowShape,
): RowParams {
  const valuesOf = (name: string): unknown[] =>
    rows.map((row): unknown => Object.getOwnPropertyDescriptor(row, name)?.value);
  return Object.fromEntries(
    Object.keys(columns).map((name) => [name, shape === "one" ? valuesOf(name)[0] : valuesOf(name)]),
  );
}
