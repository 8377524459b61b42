import type { RestoredWrite } from "../../saver/queries/restored-rows.js";
import { type QueryCreator, sql, type RawBuilder } from "kysely";
import { type AddedColumns, taskPathIn, addedColumns } from "../../db/added-columns.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey, CheckpointKey } from "../../saver/model/keys.js";
import { sentBytes } from "../../saver/queries/sent-row.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { newestCheckpointId } from "../../saver/queries/table-page.js";

/** A write as it is recorded beside a checkpoint. */
export interface RecordedWriteRow extends Omit<
  RestoredWrite,
  "thread_id" | "checkpoint_ns" | "task_path" | "blob"
> {
  readonly task_path: string;
  /** The length of the value. */
  readonly bytes: number;
  /** As `sentBytes` selects it. */
  readonly blob: string | null;
}

/** The parameters of {@link selectRecordedWrites}. */
interface RecordedWritesParams extends NamespaceKey {
  readonly pieceBytes: number;
}

/** Selects the writes of a namespace, ordered by task path, task and position. */
export function selectRecordedWrites(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<RecordedWritesParams>,
  { taskPath: hasTaskPath }: Pick<AddedColumns, "taskPath">,
) {
  const taskPath = taskPathIn("write.", hasTaskPath);
  return db
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", parameter("threadId"))
    .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
    .select(["write.checkpoint_id", "write.task_id", taskPath.as("task_path"), "write.idx"])
    .select(["write.channel", "write.type"])
    .select([
      sql<number>`octet_length(write.blob)`.as("bytes"),
      sentBytes("write", parameter("pieceBytes")).as("blob"),
    ])
    .orderBy(sql`${taskPath} collate "C"`)
    .orderBy(sql`write.task_id collate "C"`)
    .orderBy("write.idx");
}

/**
 * Reads the writes beside a checkpoint, ordered by task path, task and position. Without `checkpointId` it reads those of the
 * namespace's newest checkpoint.
 */
export async function getWrites(
  call: CallContext,
  { threadId, checkpointNs, checkpointId }: NamespaceKey & Partial<CheckpointKey>,
): Promise<RecordedWriteRow[]> {
  const shape = { hasId: checkpointId !== undefined, ...(await addedColumns(call)) };
  return runStatement(call, statements.of(shape), {
    threadId,
    checkpointNs,
    checkpointId: checkpointId ?? "",
    pieceBytes: pieceBytesOf(call),
  });
}

type WritesParams = CheckpointKey & RecordedWritesParams;

interface WritesShape extends AddedColumns {
  readonly hasId: boolean;
}

const statements = new StatementFamily<WritesShape, WritesParams, RecordedWriteRow>(
  ({ hasId, ...columns }) =>
    (db, parameter) =>
      selectRecordedWrites(db, parameter, columns).where(
        "write.checkpoint_id",
        "=",
        hasId ? parameter("checkpointId") : newestCheckpointId(db, parameter),
      ),
);

/** Reads the writes to some channels beside some checkpoints, ordered by task path, task and position. */
export async function getChannelWrites(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  checkpointIds: readonly string[],
  channels: readonly string[],
): Promise<RecordedWriteRow[]> {
  const pieceBytes = pieceBytesOf(call);
  const statement = channelWrites.of(await addedColumns(call));
  return runStatement(call, statement, { threadId, checkpointNs, checkpointIds, channels, pieceBytes });
}

const channelWrites = new StatementFamily<
  AddedColumns,
  RecordedWritesParams & { readonly checkpointIds: readonly string[]; readonly channels: readonly string[] },
  RecordedWriteRow
>(
  (columns) => (db, parameter) =>
    selectRecordedWrites(db, parameter, columns)
      .where(isOneOf(sql`write.checkpoint_id`, parameter("checkpointIds")))
      .where(isOneOf(sql`write.channel`, parameter("channels"))),
);

/** Whether a text column has one of the given values. */
export function isOneOf(
  column: RawBuilder<unknown>,
  values: RawBuilder<readonly string[]>,
): RawBuilder<boolean> {
  return sql<boolean>`${column} = any (${values}::text[])`;
}
