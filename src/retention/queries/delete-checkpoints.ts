import { TASKS } from "@langchain/langgraph-checkpoint";
import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { rowVersion } from "../../saver/queries/sent-bytes.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import { headerSize } from "./measure-headers.js";
import { isInList, isNotInList } from "./is-in-list.js";
import type { CheckpointsKey } from "./lock-checkpoints.js";

/** The checkpoints to delete, and what the plan knows about their children. */
export interface DeleteCheckpointsParams extends CheckpointsKey {
  /** The children that the plan has examined, with their row versions. */
  readonly knownIds: readonly string[];
  readonly knownVersions: readonly string[];
  /** The checkpoints whose sends stay, because a kept checkpoint of a format before version 4 reads them. */
  readonly keptSenders: readonly string[];
}

/** How many rows were deleted. */
export interface DeletedCheckpointsRow {
  checkpoints: number;
  writes: number;
  bytes: number;
  /** Whether nothing was deleted, because a checkpoint has a child that the plan has not examined. */
  is_outdated: boolean;
}

/**
 * Deletes checkpoints with their pending writes, unless one of them has a new child. Send it after `lockCheckpoints` in the
 * same transaction: it then sees every child, and no transaction can add another.
 */
export function deleteCheckpointRows(
  schema: string,
  params: DeleteCheckpointsParams,
): BoundStatement<DeletedCheckpointsRow> {
  return deleteRows.bind(schema, params);
}

const deleteRows = /* @__PURE__ */ new Statement<DeleteCheckpointsParams, DeletedCheckpointsRow>(
  (db, parameter) =>
    db
      .with("unknown", (qb) =>
        qb
          .selectFrom("checkpoints as stored")
          .select("stored.checkpoint_id")
          .where("stored.thread_id", "=", parameter("threadId"))
          .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
          .where((eb) => isInList(eb.ref("stored.parent_checkpoint_id"), parameter("checkpointIds")))
          .where((eb) => isNotInList(eb.ref("stored.checkpoint_id"), parameter("checkpointIds")))
          .where(
            sql<SqlBool>`((stored.checkpoint_id, ${rowVersion("stored")}) in (
              select * from unnest(${parameter("knownIds")}::text[], ${parameter("knownVersions")}::text[])
            )) is not true`,
          )
          .limit(sql.lit(1)),
      )
      .with("deleted", (qb) =>
        qb
          .deleteFrom("checkpoints")
          .where("thread_id", "=", parameter("threadId"))
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
          .where((eb) => eb.not(eb.exists(eb.selectFrom("unknown").select("unknown.checkpoint_id"))))
          .returning(["checkpoint", "metadata"]),
      )
      .with("deleted_writes", (qb) =>
        qb
          .deleteFrom("checkpoint_writes")
          .where("thread_id", "=", parameter("threadId"))
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
          .where((eb) => eb.not(eb.exists(eb.selectFrom("unknown").select("unknown.checkpoint_id"))))
          .where((eb) =>
            eb.or([
              eb("channel", "<>", sql.lit(TASKS)),
              isNotInList(eb.ref("checkpoint_id"), parameter("keptSenders")),
            ]),
          )
          // Not the size (N3).
          .returning("blob"),
      )
      .selectNoFrom((eb) => [
        sql<number>`(${eb.selectFrom("deleted").select(sql`count(*)`.as("n"))})::float8`.as("checkpoints"),
        sql<number>`(${eb.selectFrom("deleted_writes").select(sql`count(*)`.as("n"))})::float8`.as("writes"),
        sql<number>`((${eb.selectFrom("deleted").select(sql`coalesce(sum(${headerSize()}), 0)`.as("n"))})
          + (${eb.selectFrom("deleted_writes").select(sql`coalesce(sum(${storedSize("blob")}), 0)`.as("n"))}))::float8`.as(
          "bytes",
        ),
        eb
          .exists(eb.selectFrom("unknown").select("unknown.checkpoint_id"))
          .$castTo<boolean>()
          .as("is_outdated"),
      ]),
);
