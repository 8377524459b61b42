import { type OnConflictBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

type Conflict<Table extends keyof CheckpointDatabase> = OnConflictBuilder<CheckpointDatabase, Table>;

/**
 * A value is addressed by (channel, version), which never changes its meaning: the first one stays. Its row is locked, so
 * that whoever would collect it waits for the checkpoint that refers to it. Postgres locks before it looks at the condition.
 */
export function blobIsHeld(conflict: Conflict<"checkpoint_blobs">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "channel", "version"])
    .doUpdateSet((eb) => ({ type: eb.ref("excluded.type") }))
    .where(sql.lit(false));
}

/** A write that is there stays as it is, and is locked, as {@link blobIsHeld} does with a value. */
export function writeIsHeld(conflict: Conflict<"checkpoint_writes">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"])
    .doUpdateSet((eb) => ({ type: eb.ref("excluded.type") }))
    .where(sql.lit(false));
}

/** A checkpoint that is there stays as it is, and is locked, as {@link blobIsHeld} does with a value. */
export function headerIsHeld(conflict: Conflict<"checkpoints">) {
  return conflict
    .columns(["thread_id", "checkpoint_ns", "checkpoint_id"])
    .doUpdateSet((eb) => ({ type: eb.ref("excluded.type") }))
    .where(sql.lit(false));
}

/** A checkpoint that is put again replaces its header and metadata, and keeps its parent. */
export function headerIsReplaced(conflict: Conflict<"checkpoints">) {
  return conflict.columns(["thread_id", "checkpoint_ns", "checkpoint_id"]).doUpdateSet((eb) => ({
    checkpoint: eb.ref("excluded.checkpoint"),
    metadata: eb.ref("excluded.metadata"),
  }));
}

/**
 * A write that is there already stays, so that a task which is run again changes nothing; a special one (error,
 * interrupt, resume) is replaced.
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
      // Decides row by row which of the two it is: a conflict that the condition leaves out changes nothing.
      .where("excluded.idx", "<", sql.lit(0))
  );
}
