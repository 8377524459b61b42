import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { isOneOf } from "./get-lineage.js";
import type { RecordedWriteRow } from "./get-writes.js";
import { pieceBytesOf, sentBytes } from "../../saver/queries/sent-bytes.js";

/** What is recorded of some channels beside some checkpoints, of each by task path, task and position. */
export function getChannelWrites(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  checkpointIds: readonly string[],
  channels: readonly string[],
): Promise<RecordedWriteRow[]> {
  const pieceBytes = pieceBytesOf(call);
  return runStatement(call, channelWrites, { threadId, checkpointNs, checkpointIds, channels, pieceBytes });
}

interface ChannelWritesParams extends NamespaceKey {
  readonly checkpointIds: readonly string[];
  readonly channels: readonly string[];
  readonly pieceBytes: number;
}

const channelWrites = /* @__PURE__ */ new Statement<ChannelWritesParams, RecordedWriteRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", parameter("threadId"))
    .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(isOneOf(sql`write.checkpoint_id`, parameter("checkpointIds")))
    .where(isOneOf(sql`write.channel`, parameter("channels")))
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
