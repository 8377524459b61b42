import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";

/** The key of a blob within its thread. */
export interface BlobKeyRow {
  checkpoint_ns: string;
  channel: string;
  version: string;
  /** The length of the value. */
  bytes: number | null;
}

/** Reads the keys of a thread's blobs in the order of their index, whether a checkpoint references them or not. */
export function getBlobKeys(
  call: CallContext,
  threadId: string,
  after: BlobKeyRow | undefined,
  rows: number,
): Promise<BlobKeyRow[]> {
  const shape = after === undefined ? "first" : "next";
  const { checkpoint_ns = "", channel = "", version = "" } = after ?? {};
  return runStatement(call, statements.of(shape), { threadId, rows, checkpoint_ns, channel, version });
}

interface BlobKeyParams extends Omit<BlobKeyRow, "bytes"> {
  readonly threadId: string;
  readonly rows: number;
}

const statements = /* @__PURE__ */ new StatementFamily<"first" | "next", BlobKeyParams, BlobKeyRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs")
      .select(["checkpoint_ns", "channel", "version", sql<number | null>`octet_length(blob)`.as("bytes")])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "next", (query) =>
        query.where(
          sql<boolean>`(checkpoint_ns, channel, version) > (${parameter("checkpoint_ns")}, ${parameter("channel")}, ${parameter("version")})`,
        ),
      )
      .orderBy("checkpoint_ns")
      .orderBy("channel")
      .orderBy("version")
      .limit(sql<number>`${parameter("rows")}::integer`),
);
