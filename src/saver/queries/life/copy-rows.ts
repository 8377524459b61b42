import { type Expression, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../../db/checkpoint-database.js";
import type { BoundStatement, Parameter } from "../../../db/statement.js";
import { StatementFamily } from "../../../db/statement-family.js";
import { blobIsHeld, headerIsHeld, writeIsHeld } from "../conflict-rules.js";
import { BLOB_COLUMNS, HEADER_COLUMNS, WRITE_COLUMNS } from "../inserted-columns.js";

/** Which thread is copied to which. */
export interface CopiedThreads {
  readonly source: string;
  readonly target: string;
}

/** What became of a copy: one row. */
export interface CopyRow {
  /** A checkpoint that the target has and the source has not: then nothing was copied. */
  readonly stranger: string | null;
  /** Whether all values and writes of the source were in the target already; always, where they are copied here. */
  readonly has_values: boolean;
  /** What the source has. */
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  /** The length of all values. */
  readonly bytes: number;
}

/** What is copied: all rows, or the checkpoints alone, once the target has all values and writes of the source. */
export type CopiedRows = "all" | "checkpoints";

/**
 * Copies rows of a thread on the server, as of one moment, unless the target has checkpoints of its own. Rows that the
 * target has already stay, so that it may be sent again, and are locked until the transaction ends.
 */
export function copyRows(schema: string, rows: CopiedRows, threads: CopiedThreads): BoundStatement<CopyRow> {
  return copies.of(rows, rows).bind(schema, threads);
}

const copies = /* @__PURE__ */ new StatementFamily<CopiedRows, CopiedThreads, CopyRow>(
  (rows) => (db, parameter) => {
    const source = parameter("source");
    const values =
      rows === "all" ? withCopiedValues(withStranger(db, parameter), parameter) : withStranger(db, parameter);
    const hasValues = rows === "all" ? sql<boolean>`true` : hasAllValues(db, parameter);
    return values
      .with("copied_checkpoints", (qb) => insertHeaders(qb, parameter, hasValues))
      .selectNoFrom((eb) => [
        eb.selectFrom("stranger").select("stranger.checkpoint_id").as("stranger"),
        hasValues.as("has_values"),
        count(eb.selectFrom("checkpoints").where("thread_id", "=", source).select(ROWS)).as("checkpoints"),
        count(eb.selectFrom("checkpoint_writes").where("thread_id", "=", source).select(ROWS)).as("writes"),
        count(eb.selectFrom("checkpoint_blobs").where("thread_id", "=", source).select(ROWS)).as("blobs"),
        sql<number>`(${eb.selectFrom("checkpoint_writes").where("thread_id", "=", source).select(BYTES)}
          + ${eb.selectFrom("checkpoint_blobs").where("thread_id", "=", source).select(BYTES)})::float8`.as(
          "bytes",
        ),
      ]);
  },
);

/** Postgres works through what is inserted from the last to the first: checkpoints, writes, blobs, as all writers do. */
function withCopiedValues(db: QueryCreator<WithStranger>, parameter: Parameter<CopiedThreads>) {
  const source = parameter("source");
  return db
    .with("copied_blobs", (qb) =>
      qb
        .insertInto("checkpoint_blobs")
        .columns(BLOB_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom("checkpoint_blobs")
            .where("thread_id", "=", source)
            .where(isCopied(eb.selectFrom("stranger").select("stranger.checkpoint_id")))
            .select(as(parameter("target")))
            .select(["checkpoint_ns", "channel", "version", "type", "blob"])
            .orderBy("checkpoint_ns")
            .orderBy("channel")
            .orderBy("version"),
        )
        .onConflict(blobIsHeld),
    )
    .with("copied_writes", (qb) =>
      qb
        .insertInto("checkpoint_writes")
        .columns(WRITE_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom("checkpoint_writes")
            .where("thread_id", "=", source)
            .where(isCopied(eb.selectFrom("stranger").select("stranger.checkpoint_id")))
            .select(as(parameter("target")))
            .select([
              "checkpoint_ns",
              "checkpoint_id",
              "task_id",
              "task_path",
              "idx",
              "channel",
              "type",
              "blob",
            ])
            .orderBy("checkpoint_ns")
            .orderBy("checkpoint_id")
            .orderBy("task_id")
            .orderBy("idx"),
        )
        .onConflict(writeIsHeld),
    );
}

/** Whether the target has a row for each value and write of the source, be it encoded otherwise. */
function hasAllValues(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopiedThreads>,
): RawBuilder<boolean> {
  const blobsOf = (threadId: RawBuilder<string>) =>
    db
      .selectFrom("checkpoint_blobs")
      .select(["checkpoint_ns", "channel", "version"])
      .where("thread_id", "=", threadId);
  const writesOf = (threadId: RawBuilder<string>) =>
    db
      .selectFrom("checkpoint_writes")
      .select(["checkpoint_ns", "checkpoint_id", "task_id", "idx"])
      .where("thread_id", "=", threadId);
  const [source, target] = [parameter("source"), parameter("target")];
  return sql<boolean>`(not exists (${blobsOf(source).except(blobsOf(target))})
    and not exists (${writesOf(source).except(writesOf(target))}))`;
}

const ROWS = /* @__PURE__ */ sql<number>`count(*)`.as("rows");
const BYTES = /* @__PURE__ */ sql<number>`coalesce(sum(octet_length(blob)), 0)`.as("bytes");

type WithStranger = CheckpointDatabase & { stranger: { checkpoint_id: string } };

/** The CTE `stranger`: a checkpoint that only the target has, if there is one. */
function withStranger(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopiedThreads>,
): QueryCreator<WithStranger> {
  return db.with("stranger", (qb) =>
    qb
      .selectFrom("checkpoints as own")
      .where("own.thread_id", "=", parameter("target"))
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("checkpoints as copied")
              .select("copied.checkpoint_id")
              .where("copied.thread_id", "=", parameter("source"))
              .whereRef("copied.checkpoint_ns", "=", "own.checkpoint_ns")
              .whereRef("copied.checkpoint_id", "=", "own.checkpoint_id"),
          ),
        ),
      )
      .select("own.checkpoint_id")
      .limit(sql.lit(1)),
  );
}

function insertHeaders(
  qb: QueryCreator<WithStranger>,
  parameter: Parameter<CopiedThreads>,
  isMeant: Expression<SqlBool>,
) {
  return qb
    .insertInto("checkpoints")
    .columns([...HEADER_COLUMNS, "type"])
    .expression((eb) =>
      eb
        .selectFrom("checkpoints")
        .where("thread_id", "=", parameter("source"))
        .where(isMeant)
        .where(isCopied(eb.selectFrom("stranger").select("stranger.checkpoint_id")))
        .select(as(parameter("target")))
        .select(["checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "checkpoint", "metadata", "type"])
        // Writers of the same rows must take them in the same order, or they may wait for each other for ever.
        .orderBy("checkpoint_ns")
        .orderBy("checkpoint_id"),
    )
    .onConflict(headerIsHeld);
}

function isCopied(stranger: Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (${stranger})`;
}

function as(threadId: RawBuilder<string>) {
  return sql<string>`${threadId}::text`.as("thread_id");
}

function count(rows: Expression<unknown>): RawBuilder<number> {
  return sql<number>`(${rows})::float8`;
}
