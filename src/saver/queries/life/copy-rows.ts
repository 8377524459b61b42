import { type Expression, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, Statement } from "../../../db/statement.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
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
  /** What the source has, and the target now too. */
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  /** The length of all values. */
  readonly bytes: number;
}

/**
 * Copies all rows of a thread on the server, as of one moment, unless the target has checkpoints of its own. Rows that the
 * target has already stay, so that it may be sent again.
 */
export function copyRows(schema: string, threads: CopiedThreads): BoundStatement<CopyRow> {
  return copyAll.bind(schema, threads);
}

/** A checkpoint of a thread. */
export type CopiedKey = Pick<NamespaceKey, "checkpointNs"> & { readonly checkpointId: string };

/** The same, of these checkpoints alone and without any values. */
export function copyHeaders(
  schema: string,
  threads: CopiedThreads,
  keys: readonly CopiedKey[],
): BoundStatement<CopyRow> {
  return copyThose.bind(schema, {
    ...threads,
    checkpointNss: keys.map(({ checkpointNs }) => checkpointNs),
    checkpointIds: keys.map(({ checkpointId }) => checkpointId),
  });
}

const copyAll = /* @__PURE__ */ new Statement<CopiedThreads, CopyRow>((db, parameter) => {
  const source = parameter("source");
  // Postgres works through what is inserted from the last to the first: checkpoints, writes, blobs, as all writers do.
  return withStranger(db, parameter)
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
        .onConflict((conflict) => conflict.doNothing()),
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
        .onConflict((conflict) => conflict.doNothing()),
    )
    .with("copied_checkpoints", (qb) => insertHeaders(qb, parameter))
    .selectNoFrom((eb) => [
      eb.selectFrom("stranger").select("stranger.checkpoint_id").as("stranger"),
      count(eb.selectFrom("checkpoints").where("thread_id", "=", source).select(ROWS)).as("checkpoints"),
      count(eb.selectFrom("checkpoint_writes").where("thread_id", "=", source).select(ROWS)).as("writes"),
      count(eb.selectFrom("checkpoint_blobs").where("thread_id", "=", source).select(ROWS)).as("blobs"),
      sql<number>`(${eb.selectFrom("checkpoint_writes").where("thread_id", "=", source).select(BYTES)}
        + ${eb.selectFrom("checkpoint_blobs").where("thread_id", "=", source).select(BYTES)})::float8`.as(
        "bytes",
      ),
    ]);
});

interface HeaderParams extends CopiedThreads {
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

const copyThose = /* @__PURE__ */ new Statement<HeaderParams, CopyRow>((db, parameter) => {
  const keys = sql`select * from unnest(${parameter("checkpointNss")}::text[], ${parameter("checkpointIds")}::text[])`;
  const isGiven = sql<SqlBool>`(checkpoint_ns, checkpoint_id) in (${keys})`;
  return withStranger(db, parameter)
    .with("copied_checkpoints", (qb) => insertHeaders(qb, parameter, isGiven))
    .selectNoFrom((eb) => [
      eb.selectFrom("stranger").select("stranger.checkpoint_id").as("stranger"),
      count(
        eb.selectFrom("checkpoints").where("thread_id", "=", parameter("source")).where(isGiven).select(ROWS),
      ).as("checkpoints"),
      sql<number>`0`.as("writes"),
      sql<number>`0`.as("blobs"),
      sql<number>`0`.as("bytes"),
    ]);
});

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
  isMeant: Expression<SqlBool> = sql.lit(true),
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
    .onConflict((conflict) => conflict.doNothing());
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
