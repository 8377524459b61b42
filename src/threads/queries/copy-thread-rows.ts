import {
  type QueryCreator,
  type RawBuilder,
  sql,
  type SqlBool,
  type Expression,
  type ExpressionBuilder,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type Parameter, StatementFamily, Statement } from "../../db/statements/statement.js";
import { AES_GCM_LAYER } from "../../serde/encrypted/aes-gcm.js";
import {
  insertBlobs,
  insertWrites,
  blobIsHeld,
  changedSpecialIsReplaced,
  SPLICED_BLOB_COLUMNS,
} from "../../saver/queries/inserts.js";
import { textVersion } from "../../saver/queries/header-parts.js";
import {
  asThreadId,
  type CopyParams,
  type CopyShape,
  HAS_NUMERIC_VERSIONS,
  insertCopiedHeaders,
} from "./copied-headers.js";
import type { RowCounts } from "../../saver/model/row-counts.js";

/** The result of a copy: one row, with the number of rows of the source and the length of its values. */
interface CopyRow extends RowCounts {
  /** A checkpoint of the target that conflicts with the copy. If it is not `null`, nothing was copied. */
  readonly conflicting_checkpoint: string | null;
  /**
   * Whether AES-256-GCM may bind a value to the source; then nothing was copied. Always `false` when only checkpoints are
   * copied.
   */
  readonly has_bound_values: boolean;
  /** Whether the target has all values and writes of the source. Always `true` when they are copied too. */
  readonly has_values: boolean;
}

/** The rows to copy: all, or only the checkpoints, provided that the target has all values and writes of the source. */
export type RowsToCopy = "all" | "checkpoints";

interface RowsShape extends CopyShape {
  readonly rows: RowsToCopy;
}

/**
 * Copies rows of a thread on the server, from one snapshot, unless the target has checkpoints of its own or could not read a
 * copied value. It locks rows that the target has already until the transaction ends. Of these it changes only special writes, of which the
 * last one counts, so the statement may run again.
 */
export const copyThreadRows = new StatementFamily<RowsShape, CopyParams, CopyRow>(
  ({ rows, textVersions }) =>
    (db, parameter) => {
      const source = parameter("source");
      const obstacles = withObstacles(db, parameter, { rows, textVersions });
      const values = rows === "all" ? withCopiedValues(obstacles, parameter) : obstacles;
      const hasValues = rows === "all" ? sql<boolean>`true` : hasAllValues(db, parameter, textVersions);
      return values
        .with("copied_checkpoints", (qb) => {
          const condition = sql<SqlBool>`${hasValues} and ${hasNoObstacle(qb)}`;
          return insertCopiedHeaders(qb, parameter, { condition, textVersions });
        })
        .selectNoFrom((eb) => [
          eb.selectFrom("conflict").select("conflict.checkpoint_id").as("conflicting_checkpoint"),
          sql<boolean>`exists (${eb.selectFrom("bound").selectAll()})`.as("has_bound_values"),
          hasValues.as("has_values"),
          ...countsOf(eb, source),
        ]);
    },
);

/** Postgres runs the inserting CTEs from the last to the first: it takes locks in the order checkpoints, writes, blobs, as all writers do. */
function withCopiedValues(db: QueryCreator<WithObstacles>, parameter: Parameter<CopyParams>) {
  const source = parameter("source");
  return db
    .with("copied_blobs", (qb) =>
      insertBlobs(
        qb,
        SPLICED_BLOB_COLUMNS,
        qb
          .selectFrom("checkpoint_blobs")
          .where("thread_id", "=", source)
          .where(hasNoObstacle(qb))
          .select(asThreadId(parameter("target")))
          .select(["checkpoint_ns", "channel", "version", "type", "blob", "base", "whole_bytes"])
          .orderBy("checkpoint_ns")
          .orderBy("channel")
          .orderBy("version"),
        blobIsHeld,
      ),
    )
    .with("copied_writes", (qb) =>
      insertWrites(
        qb,
        qb
          .selectFrom("checkpoint_writes")
          .where("thread_id", "=", source)
          .where(hasNoObstacle(qb))
          .select(asThreadId(parameter("target")))
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
        changedSpecialIsReplaced,
      ),
    );
}

/** Whether the target has a row for each value and write of the source, whatever its encoding. */
function hasAllValues(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopyParams>,
  textVersions: boolean,
): RawBuilder<boolean> {
  const version = sql<string>`version`;
  const blobsOf = (threadId: RawBuilder<string>, blobVersion: RawBuilder<string>) =>
    db
      .selectFrom("checkpoint_blobs")
      .select(["checkpoint_ns", "channel", blobVersion.as("version")])
      .where("thread_id", "=", threadId);
  const writesOf = (threadId: RawBuilder<string>) =>
    db
      .selectFrom("checkpoint_writes")
      .select(["checkpoint_ns", "checkpoint_id", "task_id", "idx"])
      .where("thread_id", "=", threadId);
  const [source, target] = [parameter("source"), parameter("target")];
  const copiedVersion = textVersions ? textVersion(version) : version;
  return sql<boolean>`(not exists (${blobsOf(source, copiedVersion).except(blobsOf(target, version))})
    and not exists (${writesOf(source).except(writesOf(target))}))`;
}

type WithObstacles = CheckpointDatabase & {
  conflict: { checkpoint_id: string };
  bound: { type: string | null };
};

/**
 * The CTEs with what prevents a copy. `conflict`: a checkpoint that only the target has, or that has numeric versions there.
 * `bound`: the types of values that AES-256-GCM may bind to the source. `findConflict` asks for the conflict as nodes can (N8), which reads all
 * keys of the source: that would make a copy of 5,000 checkpoints a quarter slower here.
 */
function withObstacles(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopyParams>,
  { rows, textVersions }: RowsShape,
): QueryCreator<WithObstacles> {
  const typesIn = (table: "checkpoint_blobs" | "checkpoint_writes") =>
    db
      .selectFrom(table)
      .select(sql<string | null>`type`.as("type"))
      .where("thread_id", "=", parameter("source"))
      .where(rows === "all" ? IS_AES_GCM : sql<SqlBool>`false`);
  const withBound = db.with("bound", () =>
    typesIn("checkpoint_blobs").unionAll(typesIn("checkpoint_writes")),
  );
  return withBound.with("conflict", (qb) =>
    qb
      .selectFrom("checkpoints as own")
      .where("own.thread_id", "=", parameter("target"))
      .where((eb) => {
        const isTargetOnly = eb.not(
          eb.exists(
            eb
              .selectFrom("checkpoints as copied")
              .select("copied.checkpoint_id")
              .where("copied.thread_id", "=", parameter("source"))
              .whereRef("copied.checkpoint_ns", "=", "own.checkpoint_ns")
              .whereRef("copied.checkpoint_id", "=", "own.checkpoint_id"),
          ),
        );
        return textVersions ? eb.or([isTargetOnly, HAS_NUMERIC_VERSIONS]) : isTargetOnly;
      })
      .select("own.checkpoint_id")
      .limit(sql.lit(1)),
  );
}

const IS_AES_GCM = sql<SqlBool>`type || '+' like ${sql.lit(`%+${AES_GCM_LAYER}+%`)}`;

function hasNoObstacle(db: QueryCreator<WithObstacles>): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (${db.selectFrom("conflict").selectAll()})
    and not exists (${db.selectFrom("bound").selectAll()})`;
}

/** Counts the rows of a thread. */
export const countRowsOfThread = new Statement<{ readonly threadId: string }, RowCounts>((db, parameter) =>
  db.selectNoFrom((eb) => countsOf(eb, parameter("threadId"))),
);

/** The number of rows of a thread in each table, and the length of its values. */
function countsOf(eb: ExpressionBuilder<CheckpointDatabase, never>, threadId: RawBuilder<string>) {
  const writes = eb.selectFrom("checkpoint_writes").where("thread_id", "=", threadId);
  const blobs = eb.selectFrom("checkpoint_blobs").where("thread_id", "=", threadId);
  return [
    countOf(eb.selectFrom("checkpoints").where("thread_id", "=", threadId).select(ROWS)).as("checkpoints"),
    countOf(writes.select(ROWS)).as("writes"),
    countOf(blobs.select(ROWS)).as("blobs"),
    sql<number>`(${writes.select(BYTES)} + ${blobs.select(BYTES)})::float8`.as("bytes"),
  ] as const;
}

function countOf(rows: Expression<unknown>): RawBuilder<number> {
  return sql<number>`(${rows})::float8`;
}

const ROWS = sql<number>`count(*)`.as("rows");

const BYTES = sql<number>`coalesce(sum(octet_length(blob)), 0)`.as("bytes");
