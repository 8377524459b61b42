import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { BlobKeyRow, WriteKeyRow } from "./get-value-keys.js";
import { pieceBytesOf, sentBytes } from "../../saver/queries/sent-bytes.js";

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
  call: CallContext,
  threadId: string,
  keys: readonly BlobKeyRow[],
): Promise<StoredBlobRow[]> {
  return runStatement(call, storedBlobs, {
    threadId,
    pieceBytes: pieceBytesOf(call),
    namespaces: keys.map((key) => key.checkpoint_ns),
    channels: keys.map(({ channel }) => channel),
    versions: keys.map(({ version }) => version),
  });
}

/** The rows of writes by their keys, in any order. Those that are gone are left out. */
export function getStoredWrites(
  call: CallContext,
  threadId: string,
  keys: readonly WriteKeyRow[],
): Promise<StoredWriteRow[]> {
  return runStatement(call, storedWrites, {
    threadId,
    pieceBytes: pieceBytesOf(call),
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
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoint_blobs as stored")
          .select(["stored.checkpoint_ns", "stored.channel", "stored.version"])
          .select(sql<string | null>`stored.type`.as("type"))
          .select(sentBytes("stored", parameter("pieceBytes")).as("blob"))
          .where("stored.thread_id", "=", parameter("threadId"))
          .whereRef("stored.checkpoint_ns", "=", "wanted.checkpoint_ns")
          .whereRef("stored.channel", "=", "wanted.channel")
          .whereRef("stored.version", "=", "wanted.version")
          // Has each looked up by the index, whatever the statistics say.
          .offset(sql.lit(0))
          .as("found"),
      (join) => join.onTrue(),
    )
    .selectAll("found"),
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
          .offset(sql.lit(0))
          .as("found"),
      (join) => join.onTrue(),
    )
    .selectAll("found"),
);
