import { type RawBuilder, sql } from "kysely";
import { selectRecordedWrites, type RecordedWriteRow } from "../../audit/queries/recorded-writes.js";
import { type AddedColumns, addedColumns } from "../../db/added-columns.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement, StatementFamily } from "../../db/statements/statement.js";
import { rowVersion } from "../../saver/queries/sent-row.js";
import type { CheckpointPlace } from "../api/places.js";

/** Where the value of a channel is stored. */
interface ChannelValueRow {
  /** The version of the channel; `null` where the checkpoint has none. */
  readonly version: string | null;
  /** Identifies the row of the value, as it is now; `null` where there is none. */
  readonly value_row: string | null;
  /** Identifies the row of the header, as it is now. */
  readonly header_row: string;
  readonly is_empty: boolean;
  readonly is_inline: boolean;
}

/** A channel of a checkpoint. */
export interface ChannelPlace extends CheckpointPlace {
  readonly channel: string;
}

/** A write beside a checkpoint. */
export interface WritePlace extends CheckpointPlace {
  readonly taskId: string;
  readonly idx: number;
}

/** Finds out where the value of a channel is stored, without reading it. Returns `undefined` where there is no such checkpoint. */
export async function getChannelRow(
  call: CallContext,
  place: ChannelPlace,
): Promise<ChannelValueRow | undefined> {
  const [row] = await runStatement(call, channelRow, { ...place });
  return row;
}

/** Identifies the row of a write, as it is now, without reading its value. */
export async function getWriteVersion(call: CallContext, place: WritePlace): Promise<string | undefined> {
  const [row] = await runStatement(call, writeVersion, { ...place });
  return row?.row;
}

/** Reads a write. */
export async function getWrite(call: CallContext, place: WritePlace): Promise<RecordedWriteRow | undefined> {
  const { namespace: checkpointNs } = place;
  const statement = write.of(await addedColumns(call));
  const [row] = await runStatement(call, statement, {
    ...place,
    checkpointNs,
    pieceBytes: pieceBytesOf(call),
  });
  return row;
}

const channelRow = new Statement<ChannelPlace, ChannelValueRow>((db, parameter) => {
  const channel = sql<string>`${parameter("channel")}::text`;
  return (
    db
      .selectFrom("checkpoints as header")
      .where("header.thread_id", "=", parameter("threadId"))
      .where("header.checkpoint_ns", "=", parameter("namespace"))
      .where("header.checkpoint_id", "=", parameter("checkpointId"))
      // Not in a subquery, which may have no system columns (N2).
      .leftJoin("checkpoint_blobs as stored", (join) =>
        join
          .on("stored.thread_id", "=", parameter("threadId"))
          .on("stored.checkpoint_ns", "=", parameter("namespace"))
          .on("stored.channel", "=", channel)
          .on("stored.version", "=", versionOf(sql.ref("header.checkpoint"), channel)),
      )
      .select((eb) => [
        versionOf(eb.ref("header.checkpoint"), channel).as("version"),
        sql<string | null>`${rowVersion("stored")}`.as("value_row"),
        sql<string>`header.xmin::text || header.ctid::text`.as("header_row"),
        sql<boolean>`coalesce(${eb.ref("stored.type")} = 'empty', false)`.as("is_empty"),
        sql<boolean>`coalesce(jsonb_exists(${eb.ref("header.checkpoint")} -> 'channel_values', ${channel}), false)`.as(
          "is_inline",
        ),
      ])
  );
});

function versionOf(checkpoint: RawBuilder<unknown> | object, channel: RawBuilder<string>) {
  return sql<string>`(${checkpoint} -> 'channel_versions' ->> ${channel})`;
}

const writeVersion = new Statement<WritePlace, { row: string }>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", parameter("threadId"))
    .where("write.checkpoint_ns", "=", parameter("namespace"))
    .where("write.checkpoint_id", "=", parameter("checkpointId"))
    .where("write.task_id", "=", parameter("taskId"))
    .where("write.idx", "=", parameter("idx"))
    .select(rowVersion("write").as("row")),
);

interface WriteParams extends WritePlace {
  readonly checkpointNs: string;
  readonly pieceBytes: number;
}

const write = new StatementFamily<AddedColumns, WriteParams, RecordedWriteRow>(
  (columns) => (db, parameter) =>
    selectRecordedWrites(db, parameter, columns)
      .where("write.checkpoint_id", "=", parameter("checkpointId"))
      .where("write.task_id", "=", parameter("taskId"))
      .where("write.idx", "=", parameter("idx")),
);

/** Which writes to read, and how much of them. */
interface WritesPart {
  readonly maxWrites: number;
  /** Longer values are not read. */
  readonly maxBytes: number;
}

/** Reads the writes beside a checkpoint, ordered by task path, task and position. */
export async function getTaskWrites(
  call: CallContext,
  { namespace: checkpointNs, ...place }: CheckpointPlace,
  { maxWrites, maxBytes }: WritesPart,
): Promise<RecordedWriteRow[]> {
  return runStatement(call, writes.of(await addedColumns(call)), {
    ...place,
    checkpointNs,
    maxWrites,
    pieceBytes: maxBytes,
  });
}

interface WritesParams extends Omit<CheckpointPlace, "namespace"> {
  readonly checkpointNs: string;
  readonly maxWrites: number;
  readonly pieceBytes: number;
}

const writes = new StatementFamily<AddedColumns, WritesParams, RecordedWriteRow>(
  (columns) => (db, parameter) =>
    selectRecordedWrites(db, parameter, columns)
      .where("write.checkpoint_id", "=", parameter("checkpointId"))
      .limit(parameter("maxWrites")),
);
