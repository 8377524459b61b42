import { sql } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { BlobRow, HeaderRow, WriteRow } from "../queries/checkpoint-rows.js";
import { blobIsHeld, blobIsKept, headerIsReplaced, specialWriteIsReplaced } from "../queries/inserts.js";
import type { InsertedBlob } from "../queries/put-rows.js";

/** Some columns of rows, as parameters that are named by the column and the position of the row, such as `channel_0`. */
type NumberedRows<Row, Column extends keyof Row & string> = {
  readonly [Name in Column as `${Name}_${number}`]: Row[Name];
};

/** Names the columns of rows by their positions, for a statement with a list of values. */
function numberedRows<Row extends object, Column extends keyof Row & string>(
  columns: readonly Column[],
  rows: readonly Row[],
): NumberedRows<Row, Column> {
  const named: Partial<Record<string, Row[Column]>> = {};
  rows.forEach((row, nth) => {
    for (const column of columns) named[`${column}_${nth}`] = row[column];
  });
  return named as NumberedRows<Row, Column>;
}

const HEADER = ["checkpointNs", "checkpointId", "parentCheckpointId", "checkpoint", "metadata"] as const;

type HeaderParams = NumberedRows<HeaderRow, (typeof HEADER)[number]> & { readonly threadId: string };

/** Stores checkpoints of one thread, which are parameters of their own (N5). */
export function insertHeaders(
  schema: string,
  threadId: string,
  rows: readonly HeaderRow[],
): BoundStatement<unknown> {
  return headers.of(rows.length).bind(schema, { threadId, ...numberedRows(HEADER, rows) });
}

const headers = new StatementFamily<number, HeaderParams, unknown>(
  (count) => (db, parameter) =>
    db
      .insertInto("checkpoints")
      .values(
        Array.from({ length: count }, (_, nth) => ({
          thread_id: parameter("threadId"),
          checkpoint_ns: parameter(`checkpointNs_${nth}`),
          checkpoint_id: parameter(`checkpointId_${nth}`),
          parent_checkpoint_id: parameter(`parentCheckpointId_${nth}`),
          checkpoint: sql<string>`${parameter(`checkpoint_${nth}`)}::jsonb`,
          metadata: sql<string>`${parameter(`metadata_${nth}`)}::jsonb`,
        })),
      )
      .onConflict(headerIsReplaced),
);

const WRITE = [
  ...(["checkpointNs", "checkpointId", "taskId", "taskPath"] as const),
  ...(["idx", "channel", "type", "blob"] as const),
] as const;

type WriteParams = NumberedRows<WriteRow, (typeof WRITE)[number]> & { readonly threadId: string };

/** Stores writes of one thread, as {@link insertHeaders} stores checkpoints. */
export function insertWrites(
  schema: string,
  threadId: string,
  rows: readonly WriteRow[],
): BoundStatement<unknown> {
  return writes.of(rows.length).bind(schema, { threadId, ...numberedRows(WRITE, rows) });
}

const writes = new StatementFamily<number, WriteParams, unknown>(
  (count) => (db, parameter) =>
    db
      .insertInto("checkpoint_writes")
      .values(
        Array.from({ length: count }, (_, nth) => ({
          thread_id: parameter("threadId"),
          checkpoint_ns: parameter(`checkpointNs_${nth}`),
          checkpoint_id: parameter(`checkpointId_${nth}`),
          task_id: parameter(`taskId_${nth}`),
          task_path: parameter(`taskPath_${nth}`),
          idx: parameter(`idx_${nth}`),
          channel: parameter(`channel_${nth}`),
          type: parameter(`type_${nth}`),
          blob: parameter(`blob_${nth}`),
        })),
      )
      .onConflict(specialWriteIsReplaced),
);

interface FlatBlob extends Omit<BlobRow, "splice"> {
  readonly base: string | null;
  readonly wholeBytes: number | null;
}

const BLOB = ["checkpointNs", "channel", "version", "type", "blob", "base", "wholeBytes"] as const;

type BlobParams = NumberedRows<FlatBlob, (typeof BLOB)[number]> & { readonly threadId: string };

interface BlobShape {
  readonly count: number;
  readonly areCarried: boolean;
  /** Without splices, older tables without their columns do. */
  readonly haveSplices: boolean;
}

/**
 * Stores values of one thread, as {@link insertHeaders} stores checkpoints.
 *
 * @param areCarried - Whether they did not change since the parent, which is locked, so that their stored rows need no lock.
 */
export function insertBlobs(
  schema: string,
  threadId: string,
  rows: readonly BlobRow[],
  areCarried = false,
): BoundStatement<InsertedBlob> {
  const flat = rows.map(({ splice, ...row }) => ({
    ...row,
    base: splice?.base ?? null,
    wholeBytes: splice?.wholeBytes ?? null,
  }));
  const haveSplices = rows.some(({ splice }) => splice !== undefined);
  const shape = { count: rows.length, areCarried, haveSplices };
  return blobs.of(shape).bind(schema, { threadId, ...numberedRows(BLOB, flat) });
}

const blobs = new StatementFamily<BlobShape, BlobParams, InsertedBlob>(
  ({ count, areCarried, haveSplices }) =>
    (db, parameter) =>
      db
        .insertInto("checkpoint_blobs")
        .values(
          Array.from({ length: count }, (_, nth) => ({
            thread_id: parameter("threadId"),
            checkpoint_ns: parameter(`checkpointNs_${nth}`),
            channel: parameter(`channel_${nth}`),
            version: parameter(`version_${nth}`),
            type: parameter(`type_${nth}`),
            blob: parameter(`blob_${nth}`),
            ...(haveSplices && {
              base: parameter(`base_${nth}`),
              whole_bytes: parameter(`wholeBytes_${nth}`),
            }),
          })),
        )
        .onConflict(areCarried ? blobIsKept : blobIsHeld)
        .returning([
          ...(["thread_id", "checkpoint_ns", "channel"] as const),
          sql<boolean>`${sql.lit(!areCarried)}`.as("is_new_value"),
        ]),
);
