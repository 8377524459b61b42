import type { ChannelValueContext } from "../../serde/serde-context.js";
import { sql } from "kysely";
import { queryOf } from "../../db/statements/run-statement.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import type { WriteKey } from "../../saver/queries/get-value-page.js";

/** The columns that identify a checkpoint, or the writes beside one. */
function checkpointAt(parameter: Parameter<CheckpointKey>) {
  return {
    thread_id: parameter("threadId"),
    checkpoint_ns: parameter("checkpointNs"),
    checkpoint_id: parameter("checkpointId"),
  };
}

/** The columns that identify a value. */
function valueAt(parameter: Parameter<ChannelValueContext>) {
  return {
    thread_id: parameter("threadId"),
    checkpoint_ns: parameter("checkpointNs"),
    channel: parameter("channel"),
    version: parameter("version"),
  };
}

/** Deletes a checkpoint. */
export const deleteCheckpoint = queryOf<CheckpointKey, unknown>((db, parameter) =>
  db.deleteFrom("checkpoints").where((eb) => eb.and(checkpointAt(parameter))),
);

/** Gives a checkpoint another id. */
export const renameCheckpoint = queryOf<CheckpointKey & { readonly newId: string }, unknown>(
  (db, parameter) =>
    db
      .updateTable("checkpoints")
      .set({ checkpoint_id: parameter("newId") })
      .where((eb) => eb.and(checkpointAt(parameter))),
);

/** Identifies writes beside a checkpoint. */
interface TaskWritesKey extends CheckpointKey {
  /** `null`: of all tasks. */
  readonly taskId: string | null;
  /** `null`: all of the task. */
  readonly idx: number | null;
}

/** Deletes writes. */
export const deleteWrites = queryOf<TaskWritesKey, unknown>((db, parameter) =>
  db
    .deleteFrom("checkpoint_writes")
    .where((eb) => eb.and(checkpointAt(parameter)))
    .where(sql<boolean>`coalesce(task_id = ${parameter("taskId")}::text, true)`)
    .where(sql<boolean>`coalesce(idx = ${parameter("idx")}::integer, true)`),
);

/** Deletes a value. */
export const deleteBlob = queryOf<ChannelValueContext, unknown>((db, parameter) =>
  db.deleteFrom("checkpoint_blobs").where((eb) => eb.and(valueAt(parameter))),
);

/** Gives a value another version, under which nobody looks for it. */
export const renameBlob = queryOf<ChannelValueContext & { readonly renamed: string }, unknown>(
  (db, parameter) =>
    db
      .updateTable("checkpoint_blobs")
      .set({ version: parameter("renamed") })
      .where((eb) => eb.and(valueAt(parameter))),
);

/** The columns of a value besides its bytes. */
interface DescribedBlob extends ChannelValueContext {
  readonly base: string | null;
  readonly wholeBytes: number | null;
}

/** Sets the columns that describe a value. */
export const setBlobColumns = queryOf<DescribedBlob, unknown>((db, parameter) =>
  db
    .updateTable("checkpoint_blobs")
    .set({ base: parameter("base"), whole_bytes: parameter("wholeBytes") })
    .where((eb) => eb.and(valueAt(parameter))),
);

/** A write, and the index that it gets. */
interface WriteIndex extends WriteKey {
  readonly newIdx: number;
  readonly taskPath: string;
}

/** Gives a write another index, and a path where it has none. */
export const setWriteIndex = queryOf<WriteIndex, unknown>((db, parameter) =>
  db
    .updateTable("checkpoint_writes")
    .set({
      idx: parameter("newIdx"),
      task_path: sql<string>`coalesce(task_path, ${parameter("taskPath")}::text)`,
    })
    .where((eb) => eb.and(checkpointAt(parameter)))
    .where("task_id", "=", parameter("taskId"))
    .where("idx", "=", parameter("idx")),
);

/** Sets the type of a value. */
export const setBlobType = queryOf<ChannelValueContext & { readonly type: string }, unknown>(
  (db, parameter) =>
    db
      .updateTable("checkpoint_blobs")
      .set({ type: parameter("type") })
      .where((eb) => eb.and(valueAt(parameter))),
);

/** Sets the type of a write. */
export const setWriteType = queryOf<WriteKey & { readonly type: string }, unknown>((db, parameter) =>
  db
    .updateTable("checkpoint_writes")
    .set({ type: parameter("type") })
    .where((eb) => eb.and(checkpointAt(parameter)))
    .where("task_id", "=", parameter("taskId"))
    .where("idx", "=", parameter("idx")),
);

/** Fields of a checkpoint's header and metadata, as the texts of JSON objects. */
interface HeaderFields extends CheckpointKey {
  readonly header: string;
  readonly metadata: string;
}

/** Sets fields of a checkpoint. The others stay as they are: JavaScript can't represent every number of JSON. */
export const addToHeader = queryOf<HeaderFields, unknown>((db, parameter) =>
  db
    .updateTable("checkpoints")
    .set({
      checkpoint: sql`case when ${parameter("header")}::text = '{}' then checkpoint
        else checkpoint || ${parameter("header")}::text::jsonb end`,
      metadata: sql`case when ${parameter("metadata")}::text = '{}' then metadata
        else metadata || ${parameter("metadata")}::text::jsonb end`,
    })
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId")),
);
