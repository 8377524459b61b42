import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type {
  ChannelValueContext,
  PendingWriteContext,
  CheckpointValueContext,
} from "../../serde/serde-context.js";
import { rowVersion } from "./sent-bytes.js";

/** A range of a value's bytes, in one version of its row. */
export interface PieceRange {
  /** The version, as a read returned it. */
  readonly rowVersion: string;
  /** The number of bytes before the range. */
  readonly offset: number;
  /** The largest number of bytes in the range. */
  readonly pieceBytes: number;
}

/** A piece of a value. */
export interface PieceRow {
  /** The bytes in base64. */
  piece: string;
  /** The length of the whole value, in bytes. */
  total: number;
}

/** Reads a piece of a long value. Returns `undefined` where the row was replaced or deleted. */
export async function getPiece(
  call: CallContext,
  place: CheckpointValueContext,
  range: PieceRange,
): Promise<PieceRow | undefined> {
  const [row] =
    "taskId" in place
      ? await runStatement(call, pieceOfWrite, { ...place, ...range })
      : await runStatement(call, pieceOfBlob, { ...place, ...range });
  return row;
}

const pieceOfBlob = /* @__PURE__ */ new Statement<ChannelValueContext & PieceRange, PieceRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs as stored")
      .where("stored.thread_id", "=", parameter("threadId"))
      .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
      .where("stored.channel", "=", parameter("channel"))
      .where("stored.version", "=", parameter("version"))
      .where(rowVersion("stored"), "=", parameter("rowVersion"))
      .select([piece(parameter("offset"), parameter("pieceBytes")).as("piece"), total.as("total")]),
);

const pieceOfWrite = /* @__PURE__ */ new Statement<PendingWriteContext & PieceRange, PieceRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoint_writes as stored")
      .where("stored.thread_id", "=", parameter("threadId"))
      .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
      .where("stored.checkpoint_id", "=", parameter("checkpointId"))
      .where("stored.task_id", "=", parameter("taskId"))
      .where("stored.idx", "=", parameter("idx"))
      .where(rowVersion("stored"), "=", parameter("rowVersion"))
      .select([piece(parameter("offset"), parameter("pieceBytes")).as("piece"), total.as("total")]),
);

const total = /* @__PURE__ */ sql<number>`octet_length(stored.blob)`;

function piece(offset: RawBuilder<number>, length: RawBuilder<number>): RawBuilder<string> {
  return sql<string>`encode(substring(stored.blob from ${offset}::integer + 1 for ${length}::integer), 'base64')`;
}
