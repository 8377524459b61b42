import { type Expression, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement, Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointRows } from "./checkpoint-rows.js";
import { blobIsHeld, headerIsReplaced, specialWriteIsReplaced } from "./conflict-rules.js";
import { takesInline, withInline } from "./carried-inline.js";
import { NO_VERSIONS, type ParentKey } from "./hold-parents.js";
import { HEADER_COLUMNS, SPLICED_BLOB_COLUMNS, WRITE_COLUMNS } from "./inserted-columns.js";
import { isMissingOrNew } from "./missing-or-new.js";
import { notifyWatchers } from "./notify-watchers.js";
import { isNotRefused, type RequiredParentArrays, type WithRefused, withRefused } from "./refused-puts.js";
import { type RowArrays, toRowArrays } from "./row-arrays.js";
import { rowsOfArrays } from "./rows-of-arrays.js";

/**
 * What a statement of {@link putRows} did in one namespace of a thread: whether it stored a checkpoint, or how many values it
 * inserted. Others were stored already.
 */
export interface PutResult {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly is_checkpoint: boolean;
  readonly inserted_blobs: number;
}

/** Whether a row is one that the statement of {@link putRows} returns. */
export function isPutResult(row: unknown): row is PutResult {
  return typeof row === "object" && row !== null && "is_checkpoint" in row && "inserted_blobs" in row;
}

/** How rows are stored. */
export interface PutRowsOptions {
  /** The scope of the notifications that the statement sends, or `undefined` for none. */
  readonly scope: string | undefined;
  /** Parents that must be stored, at most one for each namespace of a thread. Default: none. */
  readonly required?: readonly ParentKey[];
}

/**
 * Stores any number of rows of all three tables in one statement, by the same rules as single calls. Nothing is stored in a
 * namespace whose required parent is gone, or the base of one of whose splices is gone or replaced.
 */
export function putRows(
  schema: string,
  rows: CheckpointRows,
  { scope, required = [] }: PutRowsOptions,
): BoundStatement<PutResult> {
  const notifies = scope !== undefined;
  return statements.of(notifies).bind(schema, {
    ...toRowArrays(rows),
    scope,
    required_threadId: required.map(({ threadId }) => threadId),
    required_checkpointNs: required.map(({ checkpointNs }) => checkpointNs),
    required_checkpointId: required.map(({ checkpointId }) => checkpointId),
    required_versions: required.map(({ requiredVersions = NO_VERSIONS }) => requiredVersions),
  });
}

type PutParams = RowArrays & RequiredParentArrays & { readonly scope: string | undefined };

const statements = /* @__PURE__ */ new StatementFamily<boolean, PutParams, PutResult>(
  (notifies) => (db, parameter) =>
    withRefused(db, parameter)
      .with("stored", (qb) => {
        const insert = insertHeaders(qb, db, parameter).returning(["thread_id", "checkpoint_ns"]);
        return notifies ? insert.returning(notifyWatchers(db, parameter("scope")).as("notified")) : insert;
      })
      .with("writes", (qb) =>
        qb
          .insertInto("checkpoint_writes")
          .columns(WRITE_COLUMNS)
          .expression((eb) => eb.selectFrom(writeRows(parameter)).select(WRITE_COLUMNS).orderBy("row.nth"))
          .onConflict(specialWriteIsReplaced)
          .returning("idx"),
      )
      .with("blobs", (qb) =>
        qb
          .insertInto("checkpoint_blobs")
          .columns(SPLICED_BLOB_COLUMNS)
          .expression((eb) =>
            eb
              .selectFrom(blobRows(parameter))
              .select(SPLICED_BLOB_COLUMNS)
              .where(isNotRefused(db))
              .where(isMissingOrNew(db, sql.ref("row.thread_id"), sql.ref("row.checkpoint_ns")))
              .orderBy("row.nth"),
          )
          .onConflict(blobIsHeld)
          .returning(["thread_id", "checkpoint_ns"]),
      )
      // Postgres takes the locks in the order of these parts: checkpoints, writes, values (C2). The rows of each table are sorted
      // by key. So concurrent statements can't deadlock.
      .selectFrom("stored")
      .select(["thread_id", "checkpoint_ns"])
      .select([sql<boolean>`true`.as("is_checkpoint"), sql<number>`0`.as("inserted_blobs")])
      .unionAll((eb) =>
        eb
          .selectFrom("blobs")
          .select(["thread_id", "checkpoint_ns"])
          .select([
            sql<boolean>`false`.as("is_checkpoint"),
            sql<number>`count(*)::integer`.as("inserted_blobs"),
          ])
          .where(sql<SqlBool>`(${eb.selectFrom("writes").select(sql<number>`count(*)`.as("rows"))}) >= 0`)
          .groupBy(["thread_id", "checkpoint_ns"]),
      ),
);

function insertHeaders(
  qb: QueryCreator<WithRefused>,
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PutParams>,
) {
  return qb
    .insertInto("checkpoints")
    .columns(HEADER_COLUMNS)
    .expression((eb) =>
      eb
        .selectFrom(headerRows(parameter))
        .select(["thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"])
        .select((row) => [
          withCarriedInline(db, row.ref("row.checkpoint"), row.ref("row.inline_sources")).as("checkpoint"),
          row.ref("row.metadata").as("metadata"),
        ])
        .where(isNotRefused(db))
        .orderBy("row.nth"),
    )
    .onConflict(headerIsReplaced);
}

/** The header, with the unchanged values that it takes from other headers. See `bindPut`. */
function withCarriedInline(
  db: QueryCreator<CheckpointDatabase>,
  header: Expression<string>,
  sources: Expression<string>,
): RawBuilder<string> {
  const taken = db
    .selectFrom(
      sql<{ name: string; checkpoint_id: string }>`jsonb_each_text(${sources})`.as<"carried">(
        sql`carried(name, checkpoint_id)`,
      ),
    )
    .innerJoin("checkpoints as source", (join) =>
      join
        .on("source.thread_id", "=", sql<string>`row.thread_id`)
        .on("source.checkpoint_ns", "=", sql<string>`row.checkpoint_ns`)
        .onRef("source.checkpoint_id", "=", "carried.checkpoint_id"),
    )
    .where(takesInline(header, sql.ref("source.checkpoint")))
    .select(
      sql<string>`jsonb_object_agg(carried.name, source.checkpoint -> 'channel_values' -> carried.name)`.as(
        "taken",
      ),
    );
  return sql<string>`case when ${sources} = '{}' then ${header}
    else ${withInline(header, sql`(${taken})`)} end`;
}

interface HeaderColumns {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  checkpoint: string;
  metadata: string;
  inline_sources: string;
}

function headerRows(parameter: Parameter<PutParams>) {
  return rowsOfArrays<HeaderColumns, "row">("row", {
    thread_id: sql`${parameter("header_threadId")}::text[]`,
    checkpoint_ns: sql`${parameter("header_checkpointNs")}::text[]`,
    checkpoint_id: sql`${parameter("header_checkpointId")}::text[]`,
    parent_checkpoint_id: sql`${parameter("header_parentCheckpointId")}::text[]`,
    checkpoint: sql`${parameter("header_checkpoint")}::text[]::jsonb[]`,
    metadata: sql`${parameter("header_metadata")}::text[]::jsonb[]`,
    inline_sources: sql`${parameter("header_inlineSources")}::text[]::jsonb[]`,
  });
}

interface WriteColumns {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  task_path: string;
  idx: number;
  channel: string;
  type: string;
  blob: Uint8Array;
}

function writeRows(parameter: Parameter<PutParams>) {
  return rowsOfArrays<WriteColumns, "row">("row", {
    thread_id: sql`${parameter("write_threadId")}::text[]`,
    checkpoint_ns: sql`${parameter("write_checkpointNs")}::text[]`,
    checkpoint_id: sql`${parameter("write_checkpointId")}::text[]`,
    task_id: sql`${parameter("write_taskId")}::text[]`,
    task_path: sql`${parameter("write_taskPath")}::text[]`,
    idx: sql`${parameter("write_idx")}::integer[]`,
    channel: sql`${parameter("write_channel")}::text[]`,
    type: sql`${parameter("write_type")}::text[]`,
    blob: sql`${parameter("write_blob")}::bytea[]`,
  });
}

interface BlobColumns {
  thread_id: string;
  checkpoint_ns: string;
  channel: string;
  version: string;
  type: string;
  blob: Uint8Array | null;
  is_carried: boolean;
  base: string | null;
  whole_bytes: number | null;
}

function blobRows(parameter: Parameter<PutParams>) {
  return rowsOfArrays<BlobColumns, "row">("row", {
    thread_id: sql`${parameter("blob_threadId")}::text[]`,
    checkpoint_ns: sql`${parameter("blob_checkpointNs")}::text[]`,
    channel: sql`${parameter("blob_channel")}::text[]`,
    version: sql`${parameter("blob_version")}::text[]`,
    type: sql`${parameter("blob_type")}::text[]`,
    blob: sql`${parameter("blob_blob")}::bytea[]`,
    is_carried: sql`${parameter("blob_isCarried")}::boolean[]`,
    base: sql`${parameter("blob_base")}::text[]`,
    whole_bytes: sql`${parameter("blob_wholeBytes")}::integer[]`,
  });
}
