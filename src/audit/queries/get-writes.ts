import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { pieceBytesOf, sentBytes } from "../../saver/queries/sent-bytes.js";

/** A write as it is recorded. */
export interface RecordedWriteRow {
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly task_path: string;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  /** The length of the value. */
  readonly bytes: number;
  /** As `sentBytes` brings it. */
  readonly blob: string | null;
}

/** The writes beside a checkpoint, by task path, task and position; without `checkpointId` the newest of the namespace. */
export function getWrites(
  call: CallContext,
  { threadId, checkpointNs, checkpointId }: NamespaceKey & Partial<CheckpointKey>,
): Promise<RecordedWriteRow[]> {
  const byId = checkpointId !== undefined;
  return runStatement(call, statements.of(String(byId), byId), {
    threadId,
    checkpointNs,
    checkpointId: checkpointId ?? "",
    pieceBytes: pieceBytesOf(call),
  });
}

interface WritesParams extends CheckpointKey {
  readonly pieceBytes: number;
}

const statements = /* @__PURE__ */ new StatementFamily<boolean, WritesParams, RecordedWriteRow>(
  (byId) => (db, parameter) =>
    db
      .selectFrom("checkpoint_writes as write")
      .where("write.thread_id", "=", parameter("threadId"))
      .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
      .where("write.checkpoint_id", "=", (eb) =>
        byId
          ? parameter("checkpointId")
          : eb
              .selectFrom("checkpoints")
              .select("checkpoint_id")
              .where("thread_id", "=", parameter("threadId"))
              .where("checkpoint_ns", "=", parameter("checkpointNs"))
              .orderBy(sql`checkpoint_id collate "C"`, "desc")
              .limit(sql.lit(1)),
      )
      .select(["write.checkpoint_id", "write.task_id", "write.task_path", "write.idx"])
      .select(["write.channel", "write.type"])
      .select([
        sql<number>`octet_length(write.blob)`.as("bytes"),
        sentBytes("write", parameter("pieceBytes")).as("blob"),
      ])
      .orderBy(sql`write.task_path collate "C"`)
      .orderBy(sql`write.task_id collate "C"`)
      .orderBy("write.idx"),
);
