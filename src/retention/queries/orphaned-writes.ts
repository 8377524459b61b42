import { TASKS } from "@langchain/langgraph-checkpoint";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import type { LockRow } from "../../saver/queries/take-locks.js";
import type { CheckpointsKey } from "./deleted-checkpoints.js";
import {
  checkpointsOfGiven,
  givenList,
  givenNewestFirst,
  givenWrites,
  perNamespace,
  perNamespaceWith,
} from "./per-namespace.js";

/** A namespace to search for orphaned writes. */
export interface OrphanScope {
  readonly key: NamespaceKey;
  /** Whether all checkpoints of the namespace count as deleted. Default: false. */
  readonly isEmptied?: boolean | undefined;
}

/**
 * The ids of the checkpoints of each namespace that have writes but no row: they were deleted, or `put` never stored them.
 * Writes may arrive before their checkpoint, so it leaves out recent ids, and ids that would be the newest of the namespace.
 *
 * @param cutoff - Only ids that are UUIDs of version 6 and less than this: other checkpoints may still be stored.
 */
export async function selectOrphanedWrites(
  call: CallContext,
  scopes: readonly OrphanScope[],
  cutoff: string,
): Promise<string[][]> {
  const keys = scopes.map(({ key, isEmptied = false }) => ({ ...key, isEmptied }));
  const rows = await orphanedWrites(call, keys, { cutoff });
  return rows.map((each) => each.map(({ checkpoint_id }) => checkpoint_id));
}

// EXCEPT never becomes a nested loop, however wrong the statistics are.
const orphanedWrites = perNamespaceWith<
  NamespaceKey & { readonly isEmptied: boolean },
  { readonly cutoff: string },
  { checkpoint_id: string }
>({ emptied: ({ isEmptied }) => (isEmptied ? ["yes"] : []) }, ({ db, given, threadId, parameter }) => {
  const head = givenNewestFirst(db, threadId).select("stored.checkpoint_id").limit(sql.lit(1));
  return given
    .innerJoinLateral(
      givenWrites(db, threadId)
        .select("write.checkpoint_id")
        .where(sql`write.checkpoint_id collate "C"`, "<", parameter("cutoff"))
        .where((eb) => isUuid6(eb.ref("write.checkpoint_id")))
        .where((eb) =>
          eb.or([
            sql<SqlBool>`cardinality(${givenList("emptied")}) > 0`,
            sql<SqlBool>`coalesce(write.checkpoint_id collate "C" < (${head}), true)`,
          ]),
        )
        .except(checkpointsOfGiven(db, threadId).select("stored.checkpoint_id"))
        .as("each"),
      (join) => join.onTrue(),
    )
    .select(["given.ordinal", "each.checkpoint_id"]);
});

/** The checkpoints whose pending writes are deleted or counted. */
interface CountedWritesKey extends CheckpointsKey {
  /** The checkpoints whose sends stay, because a kept checkpoint of a format before version 4 reads them. */
  readonly keptSenders: readonly string[];
}

/** How many writes were deleted or counted, and their size. */
interface CountedWritesRow {
  writes: number;
  bytes: number;
}

/** Counts the pending writes of checkpoints of each namespace. */
export async function countWrites(
  call: CallContext,
  keys: readonly CountedWritesKey[],
): Promise<CountedWritesRow[]> {
  const rows = await writeCounts(call, keys);
  return rows.flat().map(({ writes, bytes }) => ({ writes, bytes }));
}

const writeCounts = perNamespace<CountedWritesKey, CountedWritesRow>(
  { ids: ({ checkpointIds }) => checkpointIds, kept: ({ keptSenders }) => keptSenders },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
            .innerJoinLateral(
              givenWrites(db, threadId)
                .select(storedSize("write.blob").as("bytes"))
                .where("write.checkpoint_id", "=", sql.ref<string>("named.id"))
                .where(isNotKeptSend(givenList("kept")))
                // Makes Postgres use the index for each checkpoint, whatever the statistics say.
                .offset(sql.lit(0))
                .as("written"),
              (join) => join.onTrue(),
            )
            .select([
              sql<number>`count(*)::float8`.as("writes"),
              sql<number>`coalesce(sum(written.bytes), 0)::float8`.as("bytes"),
            ])
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.writes", "each.bytes"]),
);

/**
 * Locks the pending writes of checkpoints until the transaction ends. A concurrent transaction that restores one of them waits
 * for this one, or this statement waits for it.
 */
export const lockWrites = new Statement<CheckpointsKey, LockRow>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoint_writes")
        .select("idx")
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        // Every transaction locks writes in this order, so no two deadlock.
        .orderBy(sql`checkpoint_id collate "C"`)
        .orderBy(sql`task_id collate "C"`)
        .orderBy("idx")
        .forUpdate()
        .as("locked"),
    )
    .select([
      sql<string>`current_setting('transaction_isolation')`.as("isolation"),
      sql<string>`count(*)::text`.as("locked"),
    ]),
);

/**
 * Deletes the pending writes of those of the checkpoints that have no row. Send it after `lockWrites` in the same transaction:
 * it then sees every checkpoint that was restored together with one of them.
 */
export const deleteWritesWithoutCheckpoint = new Statement<CountedWritesKey, CountedWritesRow>(
  (db, parameter) =>
    db
      .with("deleted", (qb) =>
        qb
          .deleteFrom("checkpoint_writes as write")
          .where("write.thread_id", "=", parameter("threadId"))
          .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
          .where(sql<SqlBool>`write.checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
          .where(isNotKeptSend(parameter("keptSenders")))
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom("checkpoints as stored")
                  .select("stored.checkpoint_id")
                  .where("stored.thread_id", "=", parameter("threadId"))
                  .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
                  .whereRef("stored.checkpoint_id", "=", "write.checkpoint_id")
                  // Makes Postgres use the index for each write, whatever the statistics say.
                  .offset(sql.lit(0)),
              ),
            ),
          )
          // Not the size (N3).
          .returning("write.blob"),
      )
      .selectFrom("deleted")
      .select([
        sql<number>`count(*)::float8`.as("writes"),
        sql<number>`coalesce(sum(${storedSize("deleted.blob")}), 0)::float8`.as("bytes"),
      ]),
);

/** Whether `write` is not a send of one of the given checkpoints. */
function isNotKeptSend(keptSenders: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(write.channel <> ${sql.lit(TASKS)} or write.checkpoint_id <> all (${keptSenders}::text[]))`;
}
