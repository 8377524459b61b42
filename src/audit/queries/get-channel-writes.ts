import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { pieceBytesOf } from "../../saver/queries/sent-bytes.js";
import { isOneOf } from "./is-one-of.js";
import { type RecordedWriteRow, type RecordedWritesParams, selectRecordedWrites } from "./recorded-writes.js";

/** Reads the writes to some channels beside some checkpoints, ordered by task path, task and position. */
export function getChannelWrites(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  checkpointIds: readonly string[],
  channels: readonly string[],
): Promise<RecordedWriteRow[]> {
  const pieceBytes = pieceBytesOf(call);
  return runStatement(call, channelWrites, { threadId, checkpointNs, checkpointIds, channels, pieceBytes });
}

interface ChannelWritesParams extends RecordedWritesParams {
  readonly checkpointIds: readonly string[];
  readonly channels: readonly string[];
}

const channelWrites = /* @__PURE__ */ new Statement<ChannelWritesParams, RecordedWriteRow>((db, parameter) =>
  selectRecordedWrites(db, parameter)
    .where(isOneOf(sql`write.checkpoint_id`, parameter("checkpointIds")))
    .where(isOneOf(sql`write.channel`, parameter("channels"))),
);
