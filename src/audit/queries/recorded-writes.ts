import { type QueryCreator, sql } from "kysely";
import { type AddedColumns, taskPathIn } from "../../db/added-columns.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { sentBytes } from "../../saver/queries/sent-row.js";

/** A write as it is recorded beside a checkpoint. */
export interface RecordedWriteRow {
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly task_path: string;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  /** The length of the value. */
  readonly bytes: number;
  /** As `sentBytes` selects it. */
  readonly blob: string | null;
}

/** The parameters of {@link selectRecordedWrites}. */
export interface RecordedWritesParams extends NamespaceKey {
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
