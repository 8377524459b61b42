import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { ChannelValueContext, PendingWriteContext, ValueContext } from "../../serde/serde-context.js";
import { rowVersion } from "./sent-bytes.js";

/** A part of a value's bytes, and of which version of its row. */
export interface PieceRange {
  /** As a read has brought it. */
  readonly rowVersion: string;
  /** How many bytes come before it. */
  readonly offset: number;
  /** How many bytes it has at most. */
  readonly pieceBytes: number;
}

/** A part of a value. */
export interface PieceRow {
  /** In base64. */
  piece: string;
  /** The length of the whole value, in bytes. */
  total: number;
}

/** A piece of a long value; `undefined` where the row is no longer what it was. */
export async function getPiece(
  call: CallContext,
  place: ValueContext,
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
