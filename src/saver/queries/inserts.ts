import {
  type Expression,
  type InsertQueryBuilder,
  type OnConflictBuilder,
  type QueryCreator,
  sql,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/** The columns of `checkpoints` in the order of inserts. */
export const HEADER_COLUMNS = [
  "thread_id",
  "checkpoint_ns",
  "checkpoint_id",
  "parent_checkpoint_id",
  "checkpoint",
  "metadata",
] as const;

/** The columns of `checkpoint_writes` in the order of inserts. */
export const WRITE_COLUMNS = [
  "thread_id",
  "checkpoint_ns",
  "checkpoint_id",
  "task_id",
  "task_path",
  "idx",
  "channel",
  "type",
  "blob",
] as const;

/** The columns of `checkpoint_blobs` in the order of inserts. */
export const BLOB_COLUMNS = ["thread_id", "checkpoint_ns", "channel", "version", "type", "blob"] as const;

/** {@link BLOB_COLUMNS} and the columns of a splice, which are NULL for a whole value. */
export const SPLICED_BLOB_COLUMNS = [...BLOB_COLUMNS, "base", "whole_bytes"] as const;

/** The types that the columns of given rows of `checkpoint_writes` are sent as. */
export const WRITE_TYPES = {
  thread_id: "text",
  checkpoint_ns: "text",
  checkpoint_id: "text",
  task_id: "text",
  task_path: "text",
  idx: "integer",
  channel: "text",
  type: "text",
  blob: "bytea",
} as const;

/** The types that the columns of given rows of `checkpoint_blobs` are sent as. */
export const BLOB_TYPES = {
  thread_id: "text",
  checkpoint_ns: "text",
  channel: "text",
  version: "text",
  type: "text",
  blob: "bytea",
  base: "text",
  whole_bytes: "integer",
} as const;

type Conflict<Table extends keyof CheckpointDatabase> = OnConflictBuilder<CheckpointDatabase, Table>;

/** What an insert does with a row whose key is stored already. */
type Rule<Table extends keyof CheckpointDatabase> = Parameters<
  InsertQueryBuilder<CheckpointDatabase, Table, unknown>["onConflict"]
>[0];

/** Inserts the rows of a query into `checkpoints`. */
export function insertHeaders(
  db: QueryCreator<CheckpointDatabase>,
  columns: readonly (keyof CheckpointDatabase["checkpoints"])[],
  rows: Expression<unknown>,
  rule: Rule<"checkpoints">,
) {
  return db.insertInto("checkpoints").columns(columns).expression(rows).onConflict(rule);
}

/** Inserts the rows of a query into `checkpoint_writes`, whose columns are {@link WRITE_COLUMNS}. */
export function insertWrites(
  db: QueryCreator<CheckpointDatabase>,
  rows: Expression<unknown>,
  rule: Rule<"checkpoint_writes">,
) {
  return db.insertInto("checkpoint_writes").columns(WRITE_COLUMNS).expression(rows).onConflict(rule);
}

/** Inserts the rows of a query into `checkpoint_blobs`. */
export function insertBlobs(
  db: QueryCreator<CheckpointDatabase>,
  columns: typeof BLOB_COLUMNS | typeof SPLICED_BLOB_COLUMNS,
  rows: Expression<unknown>,
  rule: Rule<"checkpoint_blobs">,
) {
  return db.insertInto("checkpoint_blobs").columns(columns).expression(rows).onConflict(rule);
}

/**
 * Keeps and locks the stored value. The value of a (channel, version) never changes, so the first one stays. A
 * collection of orphaned values waits for the checkpoint that references the locked row. Postgres takes the lock
 * before it evaluates the condition (C4). The update names the stored column (N6).
 */
export function blobIsHeld(conflict: Conflict<"checkpoint_blobs">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "channel", "version"])
    .doUpdateSet((eb) => ({ type: eb.ref("checkpoint_blobs.type") }))
    .where(sql.lit(false));
}

/** Leaves a stored value as it is, without a lock: the parent that references it is locked. */
export function blobIsKept(conflict: Conflict<"checkpoint_blobs">) {
  return conflict.columns(["thread_id", "checkpoint_ns", "channel", "version"]).doNothing();
}

/** Replaces a stored value that is damaged. */
export function blobIsReplaced(conflict: Conflict<"checkpoint_blobs">) {
  return conflict.columns(["thread_id", "checkpoint_ns", "channel", "version"]).doUpdateSet((eb) => ({
    type: eb.ref("excluded.type"),
    blob: eb.ref("excluded.blob"),
    base: eb.ref("excluded.base"),
    whole_bytes: eb.ref("excluded.whole_bytes"),
  }));
}

/** Keeps and locks the stored write, as {@link blobIsHeld} does with a value. */
export function writeIsHeld(conflict: Conflict<"checkpoint_writes">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"])
    .doUpdateSet((eb) => ({ type: eb.ref("checkpoint_writes.type") }))
    .where(sql.lit(false));
}

/** Keeps and locks the stored checkpoint, as {@link blobIsHeld} does with a value. */
export function headerIsHeld(conflict: Conflict<"checkpoints">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "checkpoint_id"])
    .doUpdateSet((eb) => ({ type: eb.ref("checkpoints.type") }))
    .where(sql.lit(false));
}

/** Replaces all of a stored checkpoint that is damaged. */
export function checkpointIsReplaced(conflict: Conflict<"checkpoints">) {
  return conflict.columns(["thread_id", "checkpoint_ns", "checkpoint_id"]).doUpdateSet((eb) => ({
    parent_checkpoint_id: eb.ref("excluded.parent_checkpoint_id"),
    type: eb.ref("excluded.type"),
    checkpoint: eb.ref("excluded.checkpoint"),
    metadata: eb.ref("excluded.metadata"),
  }));
}

/** Replaces header and metadata of a checkpoint that is put again, and keeps its parent. */
export function headerIsReplaced(conflict: Conflict<"checkpoints">) {
  return conflict.columns(["thread_id", "checkpoint_ns", "checkpoint_id"]).doUpdateSet((eb) => ({
    checkpoint: eb.ref("excluded.checkpoint"),
    metadata: eb.ref("excluded.metadata"),
  }));
}

/**
 * Keeps a stored write, so that a repeated task changes nothing, and replaces a special write: an error, an interrupt
 * or a resume.
 */
export function specialWriteIsReplaced(conflict: Conflict<"checkpoint_writes">) {
  return (
    conflict
      .columns(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"])
      .doUpdateSet((eb) => ({
        channel: eb.ref("excluded.channel"),
        type: eb.ref("excluded.type"),
        blob: eb.ref("excluded.blob"),
      }))
      // The condition decides row by row. A conflict that it excludes changes nothing.
      .where("excluded.idx", "<", sql.lit(0))
  );
}

/** Holds the stored write as {@link writeIsHeld} does, and replaces a special one that differs: the last one counts. */
export function changedSpecialIsReplaced(conflict: Conflict<"checkpoint_writes">) {
  return whereItDiffers(conflict).where("excluded.idx", "<", sql.lit(0));
}

/** Replaces a stored write that differs, and holds it otherwise. Only for a copy of the write, which its source may place elsewhere later. */
export function changedWriteIsReplaced(conflict: Conflict<"checkpoint_writes">) {
  return whereItDiffers(conflict);
}

function whereItDiffers(conflict: Conflict<"checkpoint_writes">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"])
    .doUpdateSet((eb) => ({
      task_path: eb.ref("excluded.task_path"),
      channel: eb.ref("excluded.channel"),
      type: eb.ref("excluded.type"),
      blob: eb.ref("excluded.blob"),
    }))
    .where((eb) =>
      eb.or(
        (["task_path", "channel", "type", "blob"] as const).map((column) =>
          eb(`checkpoint_writes.${column}`, "is distinct from", eb.ref(`excluded.${column}`)),
        ),
      ),
    );
}
