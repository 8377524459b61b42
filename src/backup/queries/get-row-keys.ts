import { sql, type RawBuilder } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
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
  return runStatement(call, blobKeys.of(shape), { threadId, rows, checkpoint_ns, channel, version });
}

interface BlobKeyParams extends Omit<BlobKeyRow, "bytes"> {
  readonly threadId: string;
  readonly rows: number;
}

const blobKeys = new StatementFamily<"first" | "next", BlobKeyParams, BlobKeyRow>(
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

/** The key of a write within its thread. */
export interface WriteKeyRow {
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  /** The length of the value. */
  bytes: number | null;
}

/** Reads the keys of a thread's writes in the order of their index, whether their checkpoint is stored or not. */
export function getWriteKeys(
  call: CallContext,
  threadId: string,
  after: WriteKeyRow | undefined,
  rows: number,
): Promise<WriteKeyRow[]> {
  const shape = after === undefined ? "first" : "next";
  const { checkpoint_ns = "", checkpoint_id = "", task_id = "", idx = 0 } = after ?? {};
  const key = { checkpoint_ns, checkpoint_id, task_id, idx };
  return runStatement(call, writeKeys.of(shape), { threadId, rows, ...key });
}

interface WriteKeyParams extends Omit<WriteKeyRow, "bytes"> {
  readonly threadId: string;
  readonly rows: number;
}

const writeKeys = new StatementFamily<"first" | "next", WriteKeyParams, WriteKeyRow>(
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

/** The last checkpoint of the preceding page. */
export interface PageCursor {
  readonly checkpointId: string;
  readonly checkpointNs: string;
}

/** The key of the checkpoint that a page begins with, without reading its header. */
export async function nextCheckpoint(
  call: CallContext,
  threadId: string,
  after: PageCursor | undefined,
): Promise<PageCursor | undefined> {
  const { checkpointId = "", checkpointNs = "" } = after ?? {};
  const key = { threadId, checkpointId, checkpointNs };
  const [row] = await runStatement(call, next.of(after === undefined ? "first" : "next"), key);
  return row && { checkpointId: row.checkpoint_id, checkpointNs: row.checkpoint_ns };
}

const next = new StatementFamily<
  "first" | "next",
  CheckpointKey,
  Pick<WriteKeyRow, "checkpoint_id" | "checkpoint_ns">
>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoints")
      .select(["checkpoint_id", "checkpoint_ns"])
      .where("thread_id", "=", parameter("threadId"))
      .$if(shape === "next", (query) =>
        query.where(
          sql<boolean>`(checkpoint_id collate "C", checkpoint_ns collate "C") < (${parameter("checkpointId")}, ${parameter("checkpointNs")})`,
        ),
      )
      .orderBy(sql`checkpoint_id collate "C" desc, checkpoint_ns collate "C" desc`)
      .limit(sql.lit(1)),
);

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;

/**
 * Finds the next thread that has a row in any table, in the column's collation, by the tables' indexes.
 *
 * @param after - The preceding thread; `undefined` finds the first thread.
 */
export async function nextStoredThread(
  call: CallContext,
  after: string | undefined,
): Promise<string | undefined> {
  const shape = after === undefined ? "first" : "next";
  const [row] = await runStatement(call, threads.of(shape), { after: after ?? "" });
  return row?.thread_id ?? undefined;
}

const threads = new StatementFamily<
  "first" | "next",
  { readonly after: string },
  { thread_id: string | null }
>((shape) => (db, parameter) => {
  const smallest = TABLES.map(
    (table): RawBuilder<string> =>
      sql`(${db
        .selectFrom(table)
        .select((eb) => eb.fn.min<string>("thread_id").as("thread_id"))
        .where("thread_id", shape === "first" ? ">=" : ">", parameter("after"))})`,
  );
  return db.selectNoFrom(sql<string | null>`least(${sql.join(smallest)})`.as("thread_id"));
});
