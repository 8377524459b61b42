import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** A row of `checkpoints`, with the SHA-256 of its JSON texts in hexadecimal. */
export interface CheckpointDigestRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly type: string | null;
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/** A row of `checkpoint_writes`, with the SHA-256 of its value. */
export interface WriteDigestRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly idx: number;
  readonly task_path: string | null;
  readonly channel: string;
  readonly type: string | null;
  readonly blob: string | null;
  /** The size of the value in its table. */
  readonly bytes: number | null;
}

/** A row of `checkpoint_blobs`, with the SHA-256 of its value. */
export interface BlobDigestRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  readonly type: string | null;
  readonly base: string | null;
  readonly whole_bytes: number | null;
  readonly blob: string | null;
}

/** All rows of a thread, or those of some checkpoints of a namespace. */
export type DigestScope =
  | { readonly threadId: string }
  | (NamespaceKey & { readonly checkpointIds: readonly string[] });

/** Some values of a namespace. */
export interface DigestedBlobs extends NamespaceKey {
  readonly channels: readonly string[];
  /** In the order of `channels`. */
  readonly versions: readonly string[];
}

/** Reads digests of checkpoints. */
export function digestCheckpoints(schema: string, scope: DigestScope): BoundStatement<CheckpointDigestRow> {
  return checkpoints.of(shapeOf(scope)).bind(schema, paramsOf(scope));
}

/** Reads digests of the pending writes of checkpoints, whether these are stored or not. */
export function digestWrites(schema: string, scope: DigestScope): BoundStatement<WriteDigestRow> {
  return writes.of(shapeOf(scope)).bind(schema, paramsOf(scope));
}

/** Reads digests of values: all of a thread, or those with given keys. */
export function digestBlobs(
  schema: string,
  scope: { readonly threadId: string } | DigestedBlobs,
): BoundStatement<BlobDigestRow> {
  const named = "channels" in scope;
  const { channels = [], versions = [], checkpointNs = "" } = named ? scope : {};
  const params = { threadId: scope.threadId, checkpointNs, channels, versions };
  return blobs.of(named ? "some" : "thread").bind(schema, params);
}

type Shape = "thread" | "some";

interface ScopeParams extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

function shapeOf(scope: DigestScope): Shape {
  return "checkpointIds" in scope ? "some" : "thread";
}

function paramsOf(scope: DigestScope): ScopeParams {
  return "checkpointIds" in scope ? scope : { ...scope, checkpointNs: "", checkpointIds: [] };
}

const checkpoints = /* @__PURE__ */ new StatementFamily<Shape, ScopeParams, CheckpointDigestRow>(
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

const writes = /* @__PURE__ */ new StatementFamily<Shape, ScopeParams, WriteDigestRow>(
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

const blobs = /* @__PURE__ */ new StatementFamily<Shape, DigestedBlobs, BlobDigestRow>(
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
