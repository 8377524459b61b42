import { type RawBuilder, sql } from "kysely";

/** A row of `checkpoints` that is restored. JSONB is text. */
export interface RestoredCheckpoint {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly type: string | null;
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/** A row of `checkpoint_blobs` that is restored. */
export interface RestoredBlob {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  readonly type: string | null;
  readonly blob: Uint8Array | null;
}

/** A row of `checkpoint_writes` that is restored. */
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

/** Rows that a statement is brought: one, its values parameters of their own, or an array for each column. */
export type RowShape = "one" | "many";

/** One row alone may be very long, and is sent as it is. */
export function shapeOf(rows: readonly unknown[]): RowShape {
  return rows.length === 1 ? "one" : "many";
}

/** What a statement is brought, by the names of the columns. */
export type RowParams = Readonly<Record<string, unknown>>;

/** The type that each column is sent as. */
export type ColumnTypes<Row> = Readonly<Record<keyof Row & string, "text" | "jsonb" | "integer" | "bytea">>;

/** What the rows are as a table expression; its columns are those of `columns`, in their order. */
export function restoredRows<Row>(
  columns: Readonly<Record<string, string>>,
  parameter: (name: string) => RawBuilder<unknown>,
  shape: RowShape,
): RawBuilder<Row> {
  const values = Object.entries(columns).map(([name, type]) => {
    if (shape === "one") return sql`${parameter(name)}::${sql.raw(type)}`;
    // An array of JSONB is sent as one of text.
    return type === "jsonb"
      ? sql`${parameter(name)}::text[]::jsonb[]`
      : sql`${parameter(name)}::${sql.raw(type)}[]`;
  });
  return shape === "one" ? sql`(select ${sql.join(values)})` : sql`unnest(${sql.join(values)})`;
}

/** What {@link restoredRows} is called in a statement. */
export function namedGiven(columns: Readonly<Record<string, string>>): RawBuilder<unknown> {
  return sql`given(${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})`;
}

/** The parameters that bring these rows. */
export function toRowParams(
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

/** A row that was stored. */
export interface StoredRow {
  /** The length of its value. */
  readonly bytes: number;
}

/** A row that is there already and differs. */
export interface DifferingRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string | null;
  readonly channel: string | null;
}
