import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";

/** The key of a blob within its thread. */
export interface BlobKeyRow {
  checkpoint_ns: string;
  channel: string;
  version: string;
  /** The length of the value. */
  bytes: number | null;
}

/** The key of a write within its thread. */
export interface WriteKeyRow {
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  /** The length of the value. */
  bytes: number | null;
}

type Shape = "first" | "next";

/** The keys of a thread's blobs, whether a checkpoint refers to them or not, in the order of their index. */
export function getBlobKeys(
  call: CallContext,
  threadId: string,
  after: BlobKeyRow | undefined,
  rows: number,
): Promise<BlobKeyRow[]> {
  const shape: Shape = after === undefined ? "first" : "next";
  const { checkpoint_ns = "", channel = "", version = "" } = after ?? {};
  return runStatement(call, blobKeys.of(shape, shape), { threadId, rows, checkpoint_ns, channel, version });
}

/** The keys of a thread's writes, whether their checkpoint is stored or not, in the order of their index. */
export function getWriteKeys(
  call: CallContext,
  threadId: string,
  after: WriteKeyRow | undefined,
  rows: number,
): Promise<WriteKeyRow[]> {
  const shape: Shape = after === undefined ? "first" : "next";
  const { checkpoint_ns = "", checkpoint_id = "", task_id = "", idx = 0 } = after ?? {};
  const place = { checkpoint_ns, checkpoint_id, task_id, idx };
  return runStatement(call, writeKeys.of(shape, shape), { threadId, rows, ...place });
}

interface KeyParams {
  readonly threadId: string;
  readonly rows: number;
}

const blobKeys = /* @__PURE__ */ new StatementFamily<
  Shape,
  KeyParams & Omit<BlobKeyRow, "bytes">,
  BlobKeyRow
>(
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

const writeKeys = /* @__PURE__ */ new StatementFamily<
  Shape,
  KeyParams & Omit<WriteKeyRow, "bytes">,
  WriteKeyRow
>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_writes")
      .select([
        "checkpoint_ns",
        "checkpoint_id",
        "task_id",
        "idx",
        sql<number | null>`octet_length(blob)`.as("bytes"),
      ])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "next", (query) =>
        query.where(
          sql<boolean>`(checkpoint_ns, checkpoint_id, task_id, idx) > (${parameter("checkpoint_ns")}, ${parameter("checkpoint_id")}, ${parameter("task_id")}, ${parameter("idx")}::integer)`,
        ),
      )
      .orderBy("checkpoint_ns")
      .orderBy("checkpoint_id")
      .orderBy("task_id")
      .orderBy("idx")
      .limit(sql<number>`${parameter("rows")}::integer`),
);
