import { type Expression, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type Parameter, Statement, StatementFamily } from "../../db/statements/statement.js";
import { insertHeaders, headerIsHeld, HEADER_COLUMNS } from "../../saver/queries/inserts.js";
import { headerWithTextVersions } from "../../saver/queries/header-parts.js";

/** The parameters of a statement about the source and the target of a copy. */
export interface CopyParams {
  readonly source: string;
  readonly target: string;
}

/** What a statement of a copy is built for. */
export interface CopyShape {
  readonly textVersions: boolean;
}

/** The source and the target of a copy. */
export interface CopiedThreads extends CopyParams {
  /** Whether to encode values again, and to turn numeric versions into text. */
  readonly reencode: boolean;
}

interface CopiedHeaders extends CopyShape {
  /** Without it nothing is copied. */
  readonly condition: Expression<SqlBool>;
}

/** Copies the checkpoints of a thread, without their values. It locks those that the target has already. */
export function insertCopiedHeaders(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<CopyParams>,
  { condition, textVersions }: CopiedHeaders,
) {
  const header = sql.ref<string>("checkpoint");
  const rows = db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("source"))
    .where(condition)
    .select(asThreadId(parameter("target")))
    .select(["checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"])
    .select((textVersions ? headerWithTextVersions(header) : header).as("checkpoint"))
    .select(["metadata", "type"])
    // All writers take rows in this order, so that they can't deadlock (C2).
    .orderBy("checkpoint_ns")
    .orderBy("checkpoint_id");
  return insertHeaders(db, [...HEADER_COLUMNS, "type"], rows, headerIsHeld);
}

/** The thread of a copied row. */
export function asThreadId(threadId: RawBuilder<string>) {
  return sql<string>`${threadId}::text`.as("thread_id");
}

/** Whether the checkpoint `own` has numeric versions: it comes from an earlier copy without `reencode`. */
export const HAS_NUMERIC_VERSIONS = sql<SqlBool>`(own.checkpoint -> 'channel_versions')
  is distinct from (${headerWithTextVersions(sql`own.checkpoint`)}) -> 'channel_versions'`;

/** The keys of the checkpoints of the target that the source has not. Each side of EXCEPT runs on the node of its thread (N8). */
function targetOnlyHeaders(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<CopyParams>) {
  const keysOf = (threadId: RawBuilder<string>) =>
    db.selectFrom("checkpoints").where("thread_id", "=", threadId).select(["checkpoint_ns", "checkpoint_id"]);
  return keysOf(parameter("target")).except(keysOf(parameter("source")));
}

/** Copies the checkpoints of a thread, without their values. The rows go from node to node through the coordinator. */
export const copiedHeaders = new StatementFamily<CopyShape, CopyParams, unknown>(
  ({ textVersions }) =>
    (db, parameter) =>
      insertCopiedHeaders(db, parameter, { condition: sql<SqlBool>`true`, textVersions }),
);

/** Deletes copied checkpoints that somebody has deleted from the source meanwhile. */
export const deleteGoneHeaders = new Statement<CopyParams, unknown>((db, parameter) =>
  db
    .deleteFrom("checkpoints")
    .where("thread_id", "=", parameter("target"))
    .where(sql<SqlBool>`(checkpoint_ns, checkpoint_id) in (${targetOnlyHeaders(db, parameter)})`),
);

/** Finds a checkpoint that only the target has, or that has numeric versions there. Then nothing may be copied. */
export const findConflict = new StatementFamily<CopyShape, CopyParams, { readonly checkpoint_id: string }>(
  ({ textVersions }) =>
    (db, parameter) =>
      db
        .selectFrom(
          targetOnlyHeaders(db, parameter)
            .$if(textVersions, (rows) =>
              rows.unionAll((eb) =>
                eb
                  .selectFrom("checkpoints as own")
                  .where("own.thread_id", "=", parameter("target"))
                  .where(HAS_NUMERIC_VERSIONS)
                  .select(["own.checkpoint_ns", "own.checkpoint_id"]),
              ),
            )
            .as("conflict"),
        )
        .select("conflict.checkpoint_id")
        .limit(sql.lit(1)),
);
