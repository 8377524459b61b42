import { type AliasableExpression, type AliasedExpression, sql, type RawBuilder } from "kysely";

/**
 * A row as the server sends it, before `tupleRowOf` maps it. A read returns plain rows of one UNION ALL, distinguished by
 * `part`: the arrays of bytea that the official saver aggregates take the driver twice as long to parse. The parts share the
 * columns with neutral names, because each column costs time in every read: on the server, on the way, and in the driver. With
 * a column for each meaning, `getTuple` takes 3 % longer.
 *
 * | part         | meaning                                                       | name          | detail               | content    |
 * | ------------ | ------------------------------------------------------------- | ------------- | -------------------- | ---------- |
 * | `checkpoint` | a checkpoint with its metadata, both as JSON text             | checkpoint_id | parent_checkpoint_id | checkpoint |
 * | `value`      | a blob, once however many checkpoints of the page share it    | channel       | version              | base       |
 * | `write`      | a pending write                                               | channel       | task_id              | task_path  |
 * | `send`       | a write of the parent, where old checkpoints have their sends | channel       | task_id              | task_path  |
 */
export interface SentRow {
  part: "checkpoint" | "value" | "write" | "send";
  name: string;
  detail: string | null;
  content: string | null;
  type: string | null;
  metadata: string | null;
  idx: number | null;
  /** The bytes, as `sentBytes` selects them. */
  blob: string | null;
}

/** A row of a read of several checkpoints. It also says which checkpoint it belongs to. */
export interface SentPageRow extends SentRow {
  thread_id: string;
  checkpoint_ns: string;
  /** `null` for a value, which several checkpoints may share. */
  checkpoint_id: string | null;
}

type Columns = { [Name in keyof SentPageRow]: AliasableExpression<SentPageRow[Name]> };
type Column = { [Name in keyof SentPageRow]: AliasedExpression<SentPageRow[Name], Name> }[keyof SentPageRow];

/** The columns of a part. Those that are not named are NULL. */
type PartColumns = Pick<Columns, "name" | "detail"> &
  Partial<Pick<Columns, "checkpoint_id" | "content" | "type" | "metadata" | "idx" | "blob">>;

/** Builds the select list of one part, always in the same order. */
export type SelectPart = (
  part: SentRow["part"],
  owner: Pick<Columns, "thread_id" | "checkpoint_ns">,
  has: PartColumns,
) => Column[];

/** The columns of a {@link SentRow}, which all belong to one checkpoint. */
export const tupleColumns: SelectPart = (part, _owner, has) => [
  sql<SentRow["part"]>`${sql.lit(part)}`.as("part"),
  has.name.as("name"),
  has.detail.as("detail"),
  (has.content ?? noText).as("content"),
  (has.type ?? noText).as("type"),
  (has.metadata ?? noText).as("metadata"),
  (has.idx ?? noNumber).as("idx"),
  (has.blob ?? noText).as("blob"),
];

/** The columns of a {@link SentPageRow}. */
export const pageColumns: SelectPart = (part, owner, has) => [
  ...tupleColumns(part, owner, has),
  owner.thread_id.as("thread_id"),
  owner.checkpoint_ns.as("checkpoint_ns"),
  (has.checkpoint_id ?? noText).as("checkpoint_id"),
];

const noText = sql<string | null>`null::text`;
const noNumber = sql<number | null>`null::integer`;

/** Precedes the version of a row whose bytes are too long to be sent with it. Base64 never contains it. */
export const LEFT_OUT = "@";

/** Precedes a digest in the place of a row's version. The version of a row never begins with it. */
const DIGEST = "#";

/** The name that queries give to the row of a blob or write. */
type Row = "stored" | "write";

/**
 * Selects the bytes of a row in base64. `pg` receives all results as text, and Postgres would write bytes in
 * hexadecimal, which is half as long again and slower to write, send and parse.
 *
 * For more than `pieceBytes` bytes it selects {@link LEFT_OUT} and the version of the row, with which the bytes can
 * be read in pieces. Text has a maximum length in Node.js and in Postgres. Postgres knows the length without reading
 * the bytes.
 *
 * @param isOnNodes - Whether a digest of the bytes tells versions of the row apart (N2).
 */
export function sentBytes(
  row: Row,
  pieceBytes: RawBuilder<number>,
  isOnNodes = false,
): RawBuilder<string | null> {
  const bytes = sql.ref<Uint8Array | null>(`${row}.blob`);
  const version = isOnNodes ? rowDigest(row) : rowVersion(row);
  return sql<string | null>`case when octet_length(${bytes}) > ${pieceBytes}::integer
    then ${sql.lit(LEFT_OUT)} || ${version} else encode(${bytes}, 'base64') end`;
}

/** Identifies the bytes of a row. It reads all of them, and so takes longer than {@link rowVersion}. */
export function rowDigest(row: Row): RawBuilder<string> {
  return sql<string>`${sql.lit(DIGEST)} || md5(${sql.ref(`${row}.blob`)})`;
}

/** Whether the version of a row that a read returned is a digest. */
export function isDigest(version: string): boolean {
  return version.startsWith(DIGEST);
}

/** Identifies one physical row version (xmin and ctid). */
export function rowVersion(row: Row): RawBuilder<string> {
  return sql<string>`${sql.ref(`${row}.xmin`)}::text || ${sql.ref(`${row}.ctid`)}::text`;
}

/**
 * The size of a value in its table, in bytes, after Postgres has compressed it, or `null` where there is none.
 * Postgres knows it without reading the value.
 */
export function storedSize(column: string): RawBuilder<number | null> {
  return sql<number | null>`pg_column_size(${sql.ref(column)})`;
}
