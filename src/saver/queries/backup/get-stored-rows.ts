import { sql } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import type { BlobKeyRow, WriteKeyRow } from "./get-value-keys.js";
import { pieceBytesOf, sentBytes } from "../sent-bytes.js";

/** A row of `checkpoint_blobs` as it is stored. */
export interface StoredBlobRow extends Omit<BlobKeyRow, "bytes"> {
  type: string | null;
  /** As `sentBytes` brings it. */
  blob: string | null;
}

/** A row of `checkpoint_writes` as it is stored. */
export interface StoredWriteRow extends Omit<WriteKeyRow, "bytes"> {
  task_path: string | null;
  channel: string;
  type: string | null;
  /** As `sentBytes` brings it. */
  blob: string | null;
}

/** The rows of blobs by their keys, in any order. Those that are gone are left out. */
export function getStoredBlobs(
  tables: CheckpointTables,
  threadId: string,
  keys: readonly BlobKeyRow[],
): Promise<StoredBlobRow[]> {
  return runStatement(tables, storedBlobs, {
    threadId,
    pieceBytes: pieceBytesOf(tables),
    namespaces: keys.map((key) => key.checkpoint_ns),
    channels: keys.map(({ channel }) => channel),
    versions: keys.map(({ version }) => version),
  });
}

/** The rows of writes by their keys, in any order. Those that are gone are left out. */
export function getStoredWrites(
  tables: CheckpointTables,
  threadId: string,
  keys: readonly WriteKeyRow[],
): Promise<StoredWriteRow[]> {
  return runStatement(tables, storedWrites, {
    threadId,
    pieceBytes: pieceBytesOf(tables),
    namespaces: keys.map((key) => key.checkpoint_ns),
    checkpoints: keys.map((key) => key.checkpoint_id),
    tasks: keys.map((key) => key.task_id),
    positions: keys.map(({ idx }) => idx),
  });
}

interface KeyParams {
  readonly threadId: string;
  readonly pieceBytes: number;
  readonly namespaces: readonly string[];
}

const storedBlobs = /* @__PURE__ */ new Statement<
  KeyParams & { readonly channels: readonly string[]; readonly versions: readonly string[] },
  StoredBlobRow
>((db, parameter) =>
  db
    .selectFrom(
      sql<Omit<BlobKeyRow, "bytes">>`unnest(
        ${parameter("namespaces")}::text[], ${parameter("channels")}::text[], ${parameter("versions")}::text[]
      )`.as<"wanted">(sql`wanted(checkpoint_ns, channel, version)`),
    )
    .innerJoin("checkpoint_blobs as stored", (join) =>
      join
        .on("stored.thread_id", "=", parameter("threadId"))
        .onRef("stored.checkpoint_ns", "=", "wanted.checkpoint_ns")
        .onRef("stored.channel", "=", "wanted.channel")
        .onRef("stored.version", "=", "wanted.version"),
    )
    .select(["stored.checkpoint_ns", "stored.channel", "stored.version"])
    .select([
      sql<string | null>`stored.type`.as("type"),
      sentBytes("stored", parameter("pieceBytes")).as("blob"),
    ]),
);

const storedWrites = /* @__PURE__ */ new Statement<
  KeyParams & {
    readonly checkpoints: readonly string[];
    readonly tasks: readonly string[];
    readonly positions: readonly number[];
  },
  StoredWriteRow
>((db, parameter) =>
  db
    .selectFrom(
      sql<Omit<WriteKeyRow, "bytes">>`unnest(
        ${parameter("namespaces")}::text[], ${parameter("checkpoints")}::text[], ${parameter("tasks")}::text[],
        ${parameter("positions")}::integer[]
      )`.as<"wanted">(sql`wanted(checkpoint_ns, checkpoint_id, task_id, idx)`),
    )
    .innerJoin("checkpoint_writes as write", (join) =>
      join
        .on("write.thread_id", "=", parameter("threadId"))
        .onRef("write.checkpoint_ns", "=", "wanted.checkpoint_ns")
        .onRef("write.checkpoint_id", "=", "wanted.checkpoint_id")
        .onRef("write.task_id", "=", "wanted.task_id")
        .onRef("write.idx", "=", "wanted.idx"),
    )
    .select(["write.checkpoint_ns", "write.checkpoint_id", "write.task_id", "write.idx", "write.channel"])
    .select([
      sql<string | null>`write.task_path`.as("task_path"),
      "write.type",
      sentBytes("write", parameter("pieceBytes")).as("blob"),
    ]),
);
