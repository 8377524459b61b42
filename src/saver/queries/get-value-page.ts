import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import { taskPathIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { ChannelValueContext, PendingWriteContext } from "../../serde/serde-context.js";
import { sentBytes } from "./sent-row.js";
import { textVersion } from "./header-parts.js";
import { isOnPage, pageShapeOf, type PageParams, type PageShape, type TablePage } from "./table-page.js";

/** Longer values are fetched one by one, so that a page is never large. */
const PAGE_VALUE_BYTES = 65_536;

/** A value of a checkpoint. */
export interface BlobPageRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
  /** The version as text, where {@link ValuePage.textVersions} is set. */
  readonly text_version?: string;
  readonly type: string;
  /** The version that a splice refers to, where {@link ValuePage.copies} is set. */
  readonly base?: string | null;
  /** The length of the whole value that a splice stands for, likewise. */
  readonly whole_bytes?: number | null;
  /** The bytes, as `sentBytes` selects them. */
  readonly blob: string | null;
}

/** A write of a task. */
export interface WritePageRow extends Omit<
  BlobPageRow,
  "version" | "text_version" | "type" | "base" | "whole_bytes"
> {
  readonly checkpoint_id: string;
  readonly task_id: string;
  /** Empty unless {@link ValuePage.copies} is set. */
  readonly task_path: string;
  readonly idx: number;
  readonly type: string | null;
  /** Whether the checkpoint that the write belongs to is stored. */
  readonly has_checkpoint: boolean;
}

/** Identifies a write. */
export type WriteKey = Omit<PendingWriteContext, "channel">;

/** The place of a value, which is its key in `checkpoint_blobs`. */
export function blobPlaceOf(
  row: Pick<BlobPageRow, "thread_id" | "checkpoint_ns" | "channel" | "version">,
): ChannelValueContext {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, channel, version } = row;
  return { threadId, checkpointNs, channel, version };
}

/** The place of a write: its key in `checkpoint_writes`, and its channel. */
export function writePlaceOf(
  row: Pick<WritePageRow, "thread_id" | "checkpoint_ns" | "checkpoint_id" | "task_id" | "idx" | "channel">,
): PendingWriteContext {
  const { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } = row;
  return { threadId, checkpointNs, checkpointId, taskId: row.task_id, idx: row.idx, channel: row.channel };
}

/** The values or writes of a page. */
export interface ValuePage<Key extends object> extends TablePage<Key> {
  /** Excludes rows that this thread has at the same place, except special writes. */
  readonly absentFrom?: string | undefined;
  /** Whether that thread has versions as text where this one has numbers. */
  readonly textVersions?: boolean | undefined;
  /** Whether the columns are read that a copy needs besides. Tables that have not been migrated lack them. */
  readonly copies?: boolean | undefined;
}

/** Reads values in the order of the primary key. */
export function getBlobPage(call: CallContext, page: ValuePage<ChannelValueContext>): Promise<BlobPageRow[]> {
  const shape = valueShapeOf(page);
  return runStatement(call, blobs.of(shape), {
    ...paramsOf(page),
    key1: page.begin?.key.checkpointNs ?? "",
    key2: page.begin?.key.channel ?? "",
    key3: page.begin?.key.version ?? "",
  });
}

/** Reads writes in the order of the primary key. */
export function getWritePage(call: CallContext, page: ValuePage<WriteKey>): Promise<WritePageRow[]> {
  const shape = valueShapeOf(page);
  return runStatement(call, writes.of(shape), {
    ...paramsOf(page),
    key1: page.begin?.key.checkpointNs ?? "",
    key2: page.begin?.key.checkpointId ?? "",
    key3: page.begin?.key.taskId ?? "",
    idx: page.begin?.key.idx ?? 0,
  });
}

interface ValueShape extends PageShape {
  readonly skipsPresent: boolean;
  readonly textVersions: boolean;
  readonly copies: boolean;
}

function valueShapeOf(page: ValuePage<object>): ValueShape {
  return {
    ...pageShapeOf(page),
    skipsPresent: page.absentFrom !== undefined,
    textVersions: page.textVersions === true,
    copies: page.copies === true,
  };
}

interface ValueParams extends PageParams {
  readonly absentFrom: string;
  readonly pieceBytes: number;
  readonly key0: string;
  readonly key1: string;
  readonly key2: string;
  readonly key3: string;
}

interface WriteParams extends ValueParams {
  readonly idx: number;
}

function paramsOf({
  threadId = "",
  pageSize,
  begin,
  absentFrom = "",
}: ValuePage<{ readonly threadId: string }>) {
  return {
    ...{ threadId, pageSize, absentFrom },
    pieceBytes: PAGE_VALUE_BYTES,
    key0: begin?.key.threadId ?? "",
  };
}

const BLOB_KEY = sql`(stored.thread_id, stored.checkpoint_ns, stored.channel, stored.version)`;

const TEXT_VERSION = textVersion(sql<string>`stored.version`);

const blobs = new StatementFamily<ValueShape, ValueParams, BlobPageRow>((shape) => (db, parameter) => {
  const key = sql`(${parameter("key0")}, ${parameter("key1")}, ${parameter("key2")}, ${parameter("key3")})`;
  return db
    .selectFrom("checkpoint_blobs as stored")
    .where(isOnPage(shape, parameter, BLOB_KEY, key))
    .$if(shape.skipsPresent, (rows) =>
      rows.where((eb) =>
        isAbsent(
          eb
            .selectFrom("checkpoint_blobs as present")
            .select("present.version")
            .where("present.thread_id", "=", parameter("absentFrom"))
            .whereRef("present.checkpoint_ns", "=", "stored.checkpoint_ns")
            .whereRef("present.channel", "=", "stored.channel")
            .where(
              "present.version",
              "=",
              shape.textVersions ? TEXT_VERSION : sql.ref<string>("stored.version"),
            )
            .limit(sql.lit(1)),
        ),
      ),
    )
    .select(["stored.thread_id", "stored.checkpoint_ns", "stored.channel", "stored.version", "stored.type"])
    .$if(shape.textVersions, (rows) => rows.select(TEXT_VERSION.as("text_version")))
    .$if(shape.copies, (rows) => rows.select(["stored.base", "stored.whole_bytes"]))
    .select(sentBytes("stored", parameter("pieceBytes")).as("blob"))
    .orderBy("stored.thread_id")
    .orderBy("stored.checkpoint_ns")
    .orderBy("stored.channel")
    .orderBy("stored.version")
    .limit(parameter("pageSize"));
});

const WRITE_KEY = sql`(stored.thread_id, stored.checkpoint_ns, stored.checkpoint_id, stored.task_id, stored.idx)`;

const writes = new StatementFamily<ValueShape, WriteParams, WritePageRow>((shape) => (db, parameter) => {
  const key = sql`(${parameter("key0")}, ${parameter("key1")}, ${parameter("key2")}, ${parameter("key3")},
      ${parameter("idx")})`;
  return db
    .selectFrom("checkpoint_writes as stored")
    .where(isOnPage(shape, parameter, WRITE_KEY, key))
    .$if(shape.skipsPresent, (rows) =>
      rows.where((eb) => {
        const isAbsentWrite = isAbsent(
          eb
            .selectFrom("checkpoint_writes as present")
            .select("present.idx")
            .where("present.thread_id", "=", parameter("absentFrom"))
            .whereRef("present.checkpoint_ns", "=", "stored.checkpoint_ns")
            .whereRef("present.checkpoint_id", "=", "stored.checkpoint_id")
            .whereRef("present.task_id", "=", "stored.task_id")
            .whereRef("present.idx", "=", "stored.idx")
            .limit(sql.lit(1)),
        );
        // A special write may have been replaced since it was copied.
        return eb.or([isAbsentWrite, eb("stored.idx", "<", sql.lit(0))]);
      }),
    )
    .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id", "stored.task_id"])
    .select(["stored.idx", "stored.channel", "stored.type"])
    .select(taskPathIn("stored.", shape.copies).as("task_path"))
    .select((eb) => [
      sentBytes("stored", parameter("pieceBytes")).as("blob"),
      // Not EXISTS: for it the planner may read the whole table, again for every page.
      sql<boolean>`(${eb
        .selectFrom("checkpoints as header")
        .select("header.checkpoint_id")
        .where("header.thread_id", "=", shape.ofThread ? parameter("threadId") : eb.ref("stored.thread_id"))
        .whereRef("header.checkpoint_ns", "=", "stored.checkpoint_ns")
        .whereRef("header.checkpoint_id", "=", "stored.checkpoint_id")
        .limit(sql.lit(1))}) is not null`.as("has_checkpoint"),
    ])
    .orderBy("stored.thread_id")
    .orderBy("stored.checkpoint_ns")
    .orderBy("stored.checkpoint_id")
    .orderBy("stored.task_id")
    .orderBy("stored.idx")
    .limit(parameter("pageSize"));
});

/** Looks up each row by the index. For NOT EXISTS the planner may read the other thread whole, again for every page. */
function isAbsent(present: Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${present} is null`;
}
