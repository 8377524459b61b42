import { sql } from "kysely";
import { type AddedColumns, addedColumns } from "../../db/added-columns.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { isOneOf } from "./is-one-of.js";
import { type RecordedWriteRow, type RecordedWritesParams, selectRecordedWrites } from "./recorded-writes.js";

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

interface ChannelWritesParams extends RecordedWritesParams {
  readonly checkpointIds: readonly string[];
  readonly channels: readonly string[];
}

const channelWrites = /* @__PURE__ */ new StatementFamily<
  AddedColumns,
  ChannelWritesParams,
  RecordedWriteRow
>(
  (columns) => (db, parameter) =>
    selectRecordedWrites(db, parameter, columns)
      .where(isOneOf(sql`write.checkpoint_id`, parameter("checkpointIds")))
      .where(isOneOf(sql`write.channel`, parameter("channels"))),
);
