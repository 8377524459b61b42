import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import type { WriteKey } from "../../saver/queries/get-value-page.js";
import type { ValueKey } from "./stored-rows.js";

/** The columns that identify a checkpoint, or the writes beside one. */
function checkpointAt(parameter: Parameter<CheckpointKey>) {
  return {
    thread_id: parameter("threadId"),
    checkpoint_ns: parameter("checkpointNs"),
    checkpoint_id: parameter("checkpointId"),
  };
}

/** The columns that identify a value. */
function valueAt(parameter: Parameter<ValueKey>) {
  return {
    thread_id: parameter("threadId"),
    checkpoint_ns: parameter("checkpointNs"),
    channel: parameter("channel"),
    version: parameter("version"),
  };
}

/** Deletes a checkpoint. */
export async function deleteCheckpoint(call: CallContext, key: CheckpointKey): Promise<void> {
  await runStatement(call, checkpoint, key);
}

const checkpoint = /* @__PURE__ */ new Statement<CheckpointKey, unknown>((db, parameter) =>
  db.deleteFrom("checkpoints").where((eb) => eb.and(checkpointAt(parameter))),
);

/** Gives a checkpoint another id. */
export async function renameCheckpoint(call: CallContext, key: CheckpointKey, newId: string): Promise<void> {
  await runStatement(call, checkpointId, { ...key, newId });
}

const checkpointId = /* @__PURE__ */ new Statement<CheckpointKey & { readonly newId: string }, unknown>(
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
export async function deleteWrites(call: CallContext, key: TaskWritesKey): Promise<void> {
  await runStatement(call, writes, key);
}

const writes = /* @__PURE__ */ new Statement<TaskWritesKey, unknown>((db, parameter) =>
  db
    .deleteFrom("checkpoint_writes")
    .where((eb) => eb.and(checkpointAt(parameter)))
    .where(sql<boolean>`coalesce(task_id = ${parameter("taskId")}::text, true)`)
    .where(sql<boolean>`coalesce(idx = ${parameter("idx")}::integer, true)`),
);

/** Deletes a value. */
export async function deleteBlob(call: CallContext, key: ValueKey): Promise<void> {
  await runStatement(call, blob, key);
}

const blob = /* @__PURE__ */ new Statement<ValueKey, unknown>((db, parameter) =>
  db.deleteFrom("checkpoint_blobs").where((eb) => eb.and(valueAt(parameter))),
);

/** Gives a value another version, under which nobody looks for it. */
export async function renameBlob(call: CallContext, key: ValueKey, renamed: string): Promise<void> {
  await runStatement(call, rename, { ...key, renamed });
}

const rename = /* @__PURE__ */ new Statement<ValueKey & { readonly renamed: string }, unknown>(
  (db, parameter) =>
    db
      .updateTable("checkpoint_blobs")
      .set({ version: parameter("renamed") })
      .where((eb) => eb.and(valueAt(parameter))),
);

/** The columns of a value besides its bytes. */
interface DescribedBlob extends ValueKey {
  readonly base: string | null;
  readonly wholeBytes: number | null;
}

/** Sets the columns that describe a value. */
export async function setBlobColumns(call: CallContext, columns: DescribedBlob): Promise<void> {
  await runStatement(call, describe, columns);
}

const describe = /* @__PURE__ */ new Statement<DescribedBlob, unknown>((db, parameter) =>
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
export async function setWriteIndex(call: CallContext, write: WriteIndex): Promise<void> {
  await runStatement(call, index, write);
}

const index = /* @__PURE__ */ new Statement<WriteIndex, unknown>((db, parameter) =>
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
export async function setBlobType(call: CallContext, key: ValueKey, type: string): Promise<void> {
  await runStatement(call, blobType, { ...key, type });
}

const blobType = /* @__PURE__ */ new Statement<ValueKey & { readonly type: string }, unknown>(
  (db, parameter) =>
    db
      .updateTable("checkpoint_blobs")
      .set({ type: parameter("type") })
      .where((eb) => eb.and(valueAt(parameter))),
);

/** Sets the type of a write. */
export async function setWriteType(call: CallContext, key: WriteKey, type: string): Promise<void> {
  await runStatement(call, writeType, { ...key, type });
}

const writeType = /* @__PURE__ */ new Statement<WriteKey & { readonly type: string }, unknown>(
  (db, parameter) =>
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
export async function addToHeader(call: CallContext, fields: HeaderFields): Promise<void> {
  await runStatement(call, add, fields);
}

const add = /* @__PURE__ */ new Statement<HeaderFields, unknown>((db, parameter) =>
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
