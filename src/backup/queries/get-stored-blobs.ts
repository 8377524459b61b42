import { sql } from "kysely";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { sentBytes } from "../../saver/queries/sent-row.js";
import type { BlobKeyRow } from "./get-blob-keys.js";

/** A row of `checkpoint_blobs` as it is stored. */
export interface StoredBlobRow extends Omit<BlobKeyRow, "bytes"> {
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
): Promise<StoredBlobRow[]> {
  return runStatement(call, storedBlobs, {
    threadId,
    pieceBytes: pieceBytesOf(call),
    namespaces: keys.map((key) => key.checkpoint_ns),
    channels: keys.map(({ channel }) => channel),
    versions: keys.map(({ version }) => version),
  });
}

interface StoredBlobParams {
  readonly threadId: string;
  readonly pieceBytes: number;
  readonly namespaces: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
}

const storedBlobs = /* @__PURE__ */ new Statement<StoredBlobParams, StoredBlobRow>((db, parameter) =>
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
