import { sql } from "kysely";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { queryOf } from "../../db/statements/run-statement.js";
import { sentBytes } from "../../saver/queries/sent-row.js";
import type { BlobKeyRow, WriteKeyRow } from "./get-row-keys.js";
import type { CheckpointKey } from "../../saver/model/keys.js";

/** A row of `checkpoint_blobs` as it is stored. */
interface ExportedBlobRow extends Omit<BlobKeyRow, "bytes"> {
  type: string | null;
  /** The version that a splice refers to. */
  base: string | null;
  whole_bytes: number | null;
  /** As `sentBytes` selects it. */
  blob: string | null;
}

/** Reads blobs by their keys, in any order. Deleted rows are left out. */
export function getStoredBlobs(
  call: CallContext,
  threadId: string,
  keys: readonly BlobKeyRow[],
): Promise<ExportedBlobRow[]> {
  return storedBlobs(call, {
    ...{ threadId, pieceBytes: pieceBytesOf(call) },
    namespaces: keys.map((key) => key.checkpoint_ns),
    channels: keys.map(({ channel }) => channel),
    versions: keys.map(({ version }) => version),
  });
}

/** Rows of a thread by the namespaces of their keys. */
interface NamedRows {
  readonly threadId: string;
  readonly pieceBytes: number;
  readonly namespaces: readonly string[];
}

interface NamedBlobs extends NamedRows {
  readonly channels: readonly string[];
  readonly versions: readonly string[];
}

const storedBlobs = queryOf<NamedBlobs, ExportedBlobRow>((db, parameter) =>
  db
    .selectFrom(
      sql<Omit<BlobKeyRow, "bytes">>`unnest(
        ${parameter("namespaces")}::text[], ${parameter("channels")}::text[], ${parameter("versions")}::text[]
      )`.as<"wanted">(sql`wanted(checkpoint_ns, channel, version)`),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoint_blobs as stored")
          .select(["stored.checkpoint_ns", "stored.channel", "stored.version"])
          .select(sql<string | null>`stored.type`.as("type"))
          .select(["stored.base", "stored.whole_bytes"])
          .select(sentBytes("stored", parameter("pieceBytes")).as("blob"))
          .where("stored.thread_id", "=", parameter("threadId"))
          .whereRef("stored.checkpoint_ns", "=", "wanted.checkpoint_ns")
          .whereRef("stored.channel", "=", "wanted.channel")
          .whereRef("stored.version", "=", "wanted.version")
          // OFFSET 0 makes the planner look up each blob by the index, whatever the statistics say.
          .offset(sql.lit(0))
          .as("found"),
      (join) => join.onTrue(),
    )
    .selectAll("found"),
);

/** A row of `checkpoint_writes` as it is stored. */
interface ExportedWriteRow extends Omit<WriteKeyRow, "bytes"> {
  task_path: string | null;
  channel: string;
  type: string | null;
  /** As `sentBytes` selects it. */
  blob: string | null;
}

/** Reads writes by their keys, in any order. Deleted rows are left out. */
export function getStoredWrites(
  call: CallContext,
  threadId: string,
  keys: readonly WriteKeyRow[],
): Promise<ExportedWriteRow[]> {
  return storedWrites(call, {
    ...{ threadId, pieceBytes: pieceBytesOf(call) },
    namespaces: keys.map((key) => key.checkpoint_ns),
    checkpoints: keys.map((key) => key.checkpoint_id),
    tasks: keys.map((key) => key.task_id),
    positions: keys.map(({ idx }) => idx),
  });
}

interface NamedWrites extends NamedRows {
  readonly checkpoints: readonly string[];
  readonly tasks: readonly string[];
  readonly positions: readonly number[];
}

const storedWrites = queryOf<NamedWrites, ExportedWriteRow>((db, parameter) =>
  db
    .selectFrom(
      sql<Omit<WriteKeyRow, "bytes">>`unnest(
        ${parameter("namespaces")}::text[], ${parameter("checkpoints")}::text[], ${parameter("tasks")}::text[],
        ${parameter("positions")}::integer[]
      )`.as<"wanted">(sql`wanted(checkpoint_ns, checkpoint_id, task_id, idx)`),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoint_writes as write")
          .select(["write.checkpoint_ns", "write.checkpoint_id", "write.task_id", "write.idx"])
          .select(["write.channel", "write.type"])
          .select(sql<string | null>`write.task_path`.as("task_path"))
          .select(sentBytes("write", parameter("pieceBytes")).as("blob"))
          .where("write.thread_id", "=", parameter("threadId"))
          .whereRef("write.checkpoint_ns", "=", "wanted.checkpoint_ns")
          .whereRef("write.checkpoint_id", "=", "wanted.checkpoint_id")
          .whereRef("write.task_id", "=", "wanted.task_id")
          .whereRef("write.idx", "=", "wanted.idx")
          // OFFSET 0 makes the planner look up each write by the index, whatever the statistics say.
          .offset(sql.lit(0))
          .as("found"),
      (join) => join.onTrue(),
    )
    .selectAll("found"),
);

/** The header and the metadata of a checkpoint, as JSON text. */
interface StoredHeaderRow {
  checkpoint: string | null;
  metadata: string | null;
}

/** Reads the JSONB columns of one checkpoint. */
export async function getStoredHeader(
  call: CallContext,
  key: CheckpointKey,
): Promise<StoredHeaderRow | undefined> {
  return (await storedHeader(call, key))[0];
}

const storedHeader = queryOf<CheckpointKey, StoredHeaderRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select([
      sql<string | null>`checkpoint::text`.as("checkpoint"),
      sql<string | null>`metadata::text`.as("metadata"),
    ])
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId")),
);
