import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { type CopyParams, HAS_NUMERIC_VERSIONS, insertCopiedHeaders } from "./copied-headers.js";
import type { CopiedThreads } from "./copy-rows.js";

interface Conflict {
  readonly checkpoint_id: string;
}

interface HeaderShape {
  readonly textVersions: boolean;
}

/** Copies the checkpoints of a thread, without their values. Citus sends the rows from node to node through the coordinator. */
export function copyHeaders(
  schema: string,
  { source, target, reencode }: CopiedThreads,
): BoundStatement<unknown> {
  return copies.of({ textVersions: reencode }).bind(schema, { source, target });
}

const copies = /* @__PURE__ */ new StatementFamily<HeaderShape, CopyParams, unknown>(
  ({ textVersions }) =>
    (db, parameter) =>
      insertCopiedHeaders(db, parameter, { condition: sql<SqlBool>`true`, textVersions }),
);

/** Finds a checkpoint that only the target has, or that has numeric versions there. Then nothing may be copied. */
export function findConflict(
  schema: string,
  { source, target, reencode }: CopiedThreads,
): BoundStatement<Conflict> {
  return conflicts.of({ textVersions: reencode }).bind(schema, { source, target });
}

const conflicts = /* @__PURE__ */ new StatementFamily<HeaderShape, CopyParams, Conflict>(
  ({ textVersions }) =>
    (db, parameter) =>
      db
        .selectFrom(
          ofTargetOnly(db, parameter("target"), parameter("source"))
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

/** Deletes copied checkpoints that somebody has deleted from the source meanwhile. */
export function deleteGoneHeaders(
  schema: string,
  { source, target }: CopiedThreads,
): BoundStatement<unknown> {
  return deletions.bind(schema, { source, target });
}

const deletions = /* @__PURE__ */ new Statement<CopyParams, unknown>((db, parameter) =>
  db
    .deleteFrom("checkpoints")
    .where("thread_id", "=", parameter("target"))
    .where(
      sql<SqlBool>`(checkpoint_ns, checkpoint_id) in (${ofTargetOnly(db, parameter("target"), parameter("source"))})`,
    ),
);

/** The checkpoints of the target that the source has not. Citus runs each side of EXCEPT on the node of its thread. */
function ofTargetOnly(
  db: QueryCreator<CheckpointDatabase>,
  target: RawBuilder<string>,
  source: RawBuilder<string>,
) {
  const keysOf = (threadId: RawBuilder<string>) =>
    db.selectFrom("checkpoints").where("thread_id", "=", threadId).select(["checkpoint_ns", "checkpoint_id"]);
  return keysOf(target).except(keysOf(source));
}
