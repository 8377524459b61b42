import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";
import { insertWrites, specialWriteIsReplaced } from "./inserts.js";

/** The encoded writes of one task. */
export interface EncodedWrites extends CheckpointKey {
  readonly taskId: string;
  readonly taskPath: string;
  /** Ordered by `idx`. Each `idx` occurs once. */
  readonly writes: readonly EncodedWrite[];
}

/** One encoded pending write. */
export interface EncodedWrite {
  /** The position in the call. It is negative for the special channels. */
  readonly idx: number;
  readonly channel: string;
  readonly type: string;
  readonly blob: Uint8Array;
}

/** Stores the writes of a task in one statement. */
export function bindWrites(schema: string, encoded: EncodedWrites): BoundStatement<unknown> {
  const { writes, ...key } = encoded;
  return putWrites.bind(schema, {
    ...key,
    positions: writes.map(({ idx }) => idx),
    channels: writes.map(({ channel }) => channel),
    types: writes.map(({ type }) => type),
    blobs: writes.map(({ blob }) => blob),
  });
}

interface PutWritesParams extends Omit<EncodedWrites, "writes"> {
  readonly positions: readonly number[];
  readonly channels: readonly string[];
  readonly types: readonly string[];
  readonly blobs: readonly Uint8Array[];
}

const putWrites = new Statement<PutWritesParams, unknown>((db, parameter) => {
  const rows = sql<{ idx: number; channel: string; type: string; blob: Uint8Array }>`unnest(
    ${parameter("positions")}::integer[],
    ${parameter("channels")}::text[],
    ${parameter("types")}::text[],
    ${parameter("blobs")}::bytea[]
  )`.as<"row">(sql`row(idx, channel, type, blob)`);
  const given = db
    .selectFrom(rows)
    .select([
      sql<string>`${parameter("threadId")}::text`.as("thread_id"),
      sql<string>`${parameter("checkpointNs")}::text`.as("checkpoint_ns"),
      sql<string>`${parameter("checkpointId")}::text`.as("checkpoint_id"),
      sql<string>`${parameter("taskId")}::text`.as("task_id"),
      sql<string>`${parameter("taskPath")}::text`.as("task_path"),
    ])
    .select(["row.idx", "row.channel", "row.type", "row.blob"]);
  return insertWrites(db, given, specialWriteIsReplaced);
});
