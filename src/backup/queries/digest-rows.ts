import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import type { BlobsKey } from "../../saver/queries/lock-blobs.js";
import type { RestoredBlob, RestoredCheckpoint, RestoredWrite } from "../../saver/queries/restored-rows.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** A row of `checkpoints`, with the SHA-256 of its JSON texts in hexadecimal. */
export interface CheckpointDigestRow extends Omit<RestoredCheckpoint, "thread_id"> {
  readonly table: "checkpoints";
}

/** A row of `checkpoint_writes`, with the SHA-256 of its value. */
export interface WriteDigestRow extends Omit<RestoredWrite, "thread_id" | "blob"> {
  readonly table: "checkpoint_writes";
  readonly blob: string | null;
  /** The size of the value in its table. */
  readonly bytes: number | null;
}

/** A row of `checkpoint_blobs`, with the SHA-256 of its value. */
export interface BlobDigestRow extends Omit<RestoredBlob, "thread_id" | "blob" | "base" | "whole_bytes"> {
  readonly table: "checkpoint_blobs";
  readonly base: string | null;
  readonly whole_bytes: number | null;
  readonly blob: string | null;
}

/** All rows of a thread, or those of some checkpoints of a namespace. */
type DigestScope =
  | { readonly threadId: string }
  | (NamespaceKey & { readonly checkpointIds: readonly string[] });

/** Names values of a namespace. */
export function blobsKeyOf(
  key: NamespaceKey,
  values: readonly { readonly channel: string; readonly version: string }[],
): BlobsKey {
  return { ...key, channels: values.map((row) => row.channel), versions: values.map((row) => row.version) };
}

/** Reads digests of checkpoints. */
export async function digestCheckpoints(
  call: CallContext,
  scope: DigestScope,
): Promise<CheckpointDigestRow[]> {
  const rows = await runStatement(call, checkpoints.of(shapeOf(scope)), paramsOf(scope));
  return rows.map((row) => ({ table: "checkpoints", ...row }));
}

/** Reads digests of the pending writes of checkpoints, whether these are stored or not. */
export async function digestWrites(call: CallContext, scope: DigestScope): Promise<WriteDigestRow[]> {
  const rows = await runStatement(call, writes.of(shapeOf(scope)), paramsOf(scope));
  return rows.map((row) => ({ table: "checkpoint_writes", ...row }));
}

/** Reads digests of values: all of a thread, or those with given keys. */
export async function digestBlobs(
  call: CallContext,
  scope: { readonly threadId: string } | BlobsKey,
): Promise<BlobDigestRow[]> {
  const params = { checkpointNs: "", channels: [], versions: [], ...scope };
  const rows = await runStatement(call, blobs.of("channels" in scope ? "some" : "thread"), params);
  return rows.map((row) => ({ table: "checkpoint_blobs", ...row }));
}

/** The digests of all rows of a thread. */
export interface ThreadDigests {
  readonly checkpoints: readonly CheckpointDigestRow[];
  readonly writes: readonly WriteDigestRow[];
  readonly blobs: readonly BlobDigestRow[];
}

/** Reads the digests of all rows of a thread. */
export async function digestThread(call: CallContext, threadId: string): Promise<ThreadDigests> {
  return {
    checkpoints: await digestCheckpoints(call, { threadId }),
    writes: await digestWrites(call, { threadId }),
    blobs: await digestBlobs(call, { threadId }),
  };
}

type Shape = "thread" | "some";

interface ScopeParams extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

function shapeOf(scope: DigestScope): Shape {
  return "checkpointIds" in scope ? "some" : "thread";
}

function paramsOf(scope: DigestScope): ScopeParams {
  return { checkpointNs: "", checkpointIds: [], ...scope };
}

const checkpoints = new StatementFamily<Shape, ScopeParams, Omit<CheckpointDigestRow, "table">>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .select(["checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type"])
      .select([textDigest("checkpoint").as("checkpoint"), textDigest("metadata").as("metadata")])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "some", (query) =>
        query
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`),
      ),
);

const writes = new StatementFamily<Shape, ScopeParams, Omit<WriteDigestRow, "table">>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_writes")
      .select(["checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type"])
      .select(sql<string | null>`task_path`.as("task_path"))
      .select([byteDigest("blob").as("blob"), storedSize("blob").as("bytes")])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "some", (query) =>
        query
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`),
      ),
);

const blobs = new StatementFamily<Shape, BlobsKey, Omit<BlobDigestRow, "table">>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs")
      .select(["checkpoint_ns", "channel", "version", "type", "base", "whole_bytes"])
      .select(byteDigest("blob").as("blob"))
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "some", (query) =>
        query.where("checkpoint_ns", "=", parameter("checkpointNs")).where(
          sql<SqlBool>`(channel, version) in (
              select * from unnest(${parameter("channels")}::text[], ${parameter("versions")}::text[]))`,
        ),
      ),
);

function byteDigest(column: string): RawBuilder<string | null> {
  return sql<string | null>`encode(sha256(${sql.ref(column)}), 'hex')`;
}

/** The bytes that a backup has of this column are its text in UTF-8. */
function textDigest(column: string): RawBuilder<string | null> {
  return sql<string | null>`encode(sha256(convert_to(${sql.ref(column)}::text, 'UTF8')), 'hex')`;
}
