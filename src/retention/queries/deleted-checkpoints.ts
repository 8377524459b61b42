import { TASKS } from "@langchain/langgraph-checkpoint";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { rowVersion, storedSize } from "../../saver/queries/sent-row.js";
import type { LockRow } from "../../saver/queries/take-locks.js";
import { checkpointsOfGiven, givenList, isInList, isNotInList, perNamespace } from "./per-namespace.js";

/** Checkpoints of one namespace. */
export interface CheckpointsKey extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

/**
 * Locks checkpoint rows until the transaction ends. A concurrent `put` that carries values over from one of them waits for
 * this transaction, or this statement waits for the `put`.
 */
export const lockDeletedCheckpoints = new Statement<CheckpointsKey, LockRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(sql<string>`current_setting('transaction_isolation')`.as("isolation"))
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
    // Every transaction locks checkpoints in this order, so no two deadlock.
    .orderBy(sql`checkpoint_id collate "C"`)
    .forUpdate(),
);

/** The size of the header and the metadata of a row of `checkpoints`. Neither is NULL. */
export function headerSize(row = ""): RawBuilder<number> {
  return sql<number>`${storedSize(`${row}checkpoint`)} + ${storedSize(`${row}metadata`)}`;
}

/** Measures the headers and the metadata of checkpoints of each namespace: a row each. */
export const headerSizes = perNamespace<CheckpointsKey, { readonly bytes: number }>(
  { ids: ({ checkpointIds }) => checkpointIds },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
            .innerJoinLateral(
              checkpointsOfGiven(db, threadId)
                .select(headerSize("stored.").as("bytes"))
                .where("stored.checkpoint_id", "=", sql.ref<string>("named.id"))
                // Makes Postgres use the index for each checkpoint, whatever the statistics say.
                .offset(sql.lit(0))
                .as("header"),
              (join) => join.onTrue(),
            )
            .select(sql<number>`coalesce(sum(header.bytes), 0)::float8`.as("bytes"))
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.bytes"]),
);

/** The checkpoints to delete, and what the plan knows about their children. */
interface DeleteCheckpointsParams extends CheckpointsKey {
  /** The children that the plan has examined, with their row versions. */
  readonly knownIds: readonly string[];
  readonly knownVersions: readonly string[];
  /** An id that those of new children are greater than, so that only these are read again. */
  readonly beforeChildren: string;
  /** The checkpoints whose sends stay, because a kept checkpoint of a format before version 4 reads them. */
  readonly keptSenders: readonly string[];
}

/** How many rows were deleted. */
export interface DeletionOfCheckpointsRow {
  checkpoints: number;
  writes: number;
  bytes: number;
  /** Whether nothing was deleted, because a checkpoint has a child that the plan has not examined. */
  is_outdated: boolean;
}

/**
 * Deletes checkpoints with their pending writes, unless one of them has a new child. Send it after `lockDeletedCheckpoints` in the
 * same transaction: it then sees every child, and no transaction can add another.
 */
export const deleteCheckpointRows = new Statement<DeleteCheckpointsParams, DeletionOfCheckpointsRow>(
  (db, parameter) =>
    db
      .with("unknown", (qb) =>
        qb
          .selectFrom("checkpoints as stored")
          .select("stored.checkpoint_id")
          .where("stored.thread_id", "=", parameter("threadId"))
          .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
          .where(sql<SqlBool>`stored.checkpoint_id collate "C" > ${parameter("beforeChildren")}`)
          .where((eb) => isInList(eb.ref("stored.parent_checkpoint_id"), parameter("checkpointIds")))
          .where((eb) => isNotInList(eb.ref("stored.checkpoint_id"), parameter("checkpointIds")))
          .where(
            sql<SqlBool>`((stored.checkpoint_id, ${rowVersion("stored")}) in (
              select * from unnest(${parameter("knownIds")}::text[], ${parameter("knownVersions")}::text[])
            )) is not true`,
          )
          // Makes Postgres walk the index from that id, whatever the statistics say.
          .orderBy(sql`stored.checkpoint_id collate "C"`)
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
