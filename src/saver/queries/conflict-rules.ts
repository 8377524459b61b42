import { type OnConflictBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

type Conflict<Table extends keyof CheckpointDatabase> = OnConflictBuilder<CheckpointDatabase, Table>;

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
