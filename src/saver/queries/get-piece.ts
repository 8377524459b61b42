import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type {
  ChannelValueContext,
  PendingWriteContext,
  CheckpointValueContext,
} from "../../serde/serde-context.js";
import { isDigest, rowDigest, rowVersion } from "./sent-row.js";

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
  /** The version of the row, with which the next pieces are read: it takes less time than a digest of the bytes. */
  row_version: string;
}

/** Reads a piece of a long value. Returns `undefined` where the row was replaced or deleted. */
export async function getPiece(
  call: CallContext,
  place: CheckpointValueContext,
  range: PieceRange,
): Promise<PieceRow | undefined> {
  const version = isDigest(range.rowVersion) ? "digest" : "row";
  const [row] =
    "taskId" in place
      ? await runStatement(call, pieceOfWrite.of(version), { ...place, ...range })
      : await runStatement(call, pieceOfBlob.of(version), { ...place, ...range });
  return row;
}

/** By what a statement recognizes the version of the row. */
type VersionKind = "row" | "digest";

const pieceOfBlob = new StatementFamily<VersionKind, ChannelValueContext & PieceRange, PieceRow>(
  (version) => (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs as stored")
      .where("stored.thread_id", "=", parameter("threadId"))
      .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
      .where("stored.channel", "=", parameter("channel"))
      .where("stored.version", "=", parameter("version"))
      .where(VERSIONS[version], "=", parameter("rowVersion"))
      .select([piece(parameter("offset"), parameter("pieceBytes")).as("piece"), total.as("total")])
      .select(VERSIONS.row.as("row_version")),
);

const pieceOfWrite = new StatementFamily<VersionKind, PendingWriteContext & PieceRange, PieceRow>(
  (version) => (db, parameter) =>
    db
      .selectFrom("checkpoint_writes as stored")
      .where("stored.thread_id", "=", parameter("threadId"))
      .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
      .where("stored.checkpoint_id", "=", parameter("checkpointId"))
      .where("stored.task_id", "=", parameter("taskId"))
      .where("stored.idx", "=", parameter("idx"))
      .where(VERSIONS[version], "=", parameter("rowVersion"))
      .select([piece(parameter("offset"), parameter("pieceBytes")).as("piece"), total.as("total")])
      .select(VERSIONS.row.as("row_version")),
);

const VERSIONS = { row: rowVersion("stored"), digest: rowDigest("stored") };
const total = sql<number>`octet_length(stored.blob)`;

function piece(offset: RawBuilder<number>, length: RawBuilder<number>): RawBuilder<string> {
  return sql<string>`encode(substring(stored.blob from ${offset}::integer + 1 for ${length}::integer), 'base64')`;
}
