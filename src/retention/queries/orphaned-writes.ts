import { TASKS } from "@langchain/langgraph-checkpoint";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { isUuid6 } from "../../saver/queries/is-uuid6.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import type { LockRow } from "../../saver/queries/take-locks.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";
import {
  byNamespace,
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenList,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";

/** Where writes without a checkpoint are looked for. */
export interface OrphanScope {
  readonly key: NamespaceKey;
  /** Whether all checkpoints of the namespace count as gone already. Default: false. */
  readonly isEmptied?: boolean | undefined;
}

/**
 * For each namespace the checkpoints that never came, or are gone, while writes of theirs are there. Writes may come before
 * their checkpoint: those of late ones are left alone, and those of one that would be the newest.
 *
 * @param cutoff - Only those of checkpoints whose id, a UUID of version 6, is smaller: those of others may still come.
 */
export async function selectOrphanedWrites(
  call: CallContext,
  scopes: readonly OrphanScope[],
  cutoff: string,
): Promise<string[][]> {
  if (scopes.length === 0) return [];
  const given = scopes.map(({ key, isEmptied = false }) => ({
    key,
    lists: { emptied: isEmptied ? ["yes"] : [] },
  }));
  const rows = await runStatement(call, orphans, { ...givenParams(given), cutoff });
  return byNamespace(scopes, rows).map((each) => each.map(({ checkpoint_id }) => checkpoint_id));
}

interface OrphanParams extends GivenParams {
  readonly cutoff: string;
}

// By EXCEPT, which is never a loop in a loop, however wrong the statistics.
const orphans = /* @__PURE__ */ new Statement<OrphanParams, { checkpoint_id: string } & OfNamespace>(
  (db, parameter) =>
    withGiven(db, parameter, ["emptied"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoint_writes as write")
            .select("write.checkpoint_id")
            .where("write.thread_id", "=", GIVEN_THREAD)
            .where("write.checkpoint_ns", "=", GIVEN_NS)
            .where(sql`write.checkpoint_id collate "C"`, "<", parameter("cutoff"))
            .where((inner) => isUuid6(inner.ref("write.checkpoint_id")))
            .where((inner) => {
              const head = inner
                .selectFrom("checkpoints as head")
                .select("head.checkpoint_id")
                .where("head.thread_id", "=", GIVEN_THREAD)
                .where("head.checkpoint_ns", "=", GIVEN_NS)
                .orderBy(sql`head.checkpoint_id collate "C"`, "desc")
                .limit(sql.lit(1));
              return inner.or([
                sql<SqlBool>`cardinality(${givenList("emptied")}) > 0`,
                sql<SqlBool>`coalesce(write.checkpoint_id collate "C" < (${head}), true)`,
              ]);
            })
            .except(
              eb
                .selectFrom("checkpoints as stored")
                .select("stored.checkpoint_id")
                .where("stored.thread_id", "=", GIVEN_THREAD)
                .where("stored.checkpoint_ns", "=", GIVEN_NS),
            )
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.n", "each.checkpoint_id"]),
);

/** Writes that are counted or deleted by their checkpoints. */
export interface WritesKey extends CheckpointsKey {
  /** Those of the checkpoints whose sends stay, since a checkpoint of an old format reads them. */
  readonly sendersKept: readonly string[];
}

/** How many writes, and how much they hold. */
export interface WrittenRow {
  writes: number;
  bytes: number;
}

/** Locks the writes of checkpoints until the transaction ends: whoever restores one of them waits, or is waited for. */
export function lockWrites(schema: string, key: CheckpointsKey): BoundStatement<LockRow> {
  return lockThose.bind(schema, key);
}

const lockThose = /* @__PURE__ */ new Statement<CheckpointsKey, LockRow>((db, parameter) =>
  db
    .selectFrom(
      db
        .selectFrom("checkpoint_writes")
        .select("idx")
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        // Every writer locks rows in this order.
        .orderBy(sql`checkpoint_id collate "C"`)
        .orderBy(sql`task_id collate "C"`)
        .orderBy("idx")
        .forUpdate()
        .as("locked"),
    )
    .select([
      sql<string>`current_setting('transaction_isolation')`.as("isolation"),
      sql<string>`count(*)`.as("locked"),
    ]),
);

/**
 * Deletes writes whose checkpoints are not there. To be sent after {@link lockWrites} in the same transaction: then it sees
 * every checkpoint that was restored with one of them.
 */
export function dropOrphanedWrites(schema: string, key: WritesKey): BoundStatement<WrittenRow> {
  return dropThose.bind(schema, key);
}

const dropThose = /* @__PURE__ */ new Statement<WritesKey, WrittenRow>((db, parameter) =>
  db
    .with("gone", (qb) =>
      qb
        .deleteFrom("checkpoint_writes as write")
        .where("write.thread_id", "=", parameter("threadId"))
        .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
        .where(sql<SqlBool>`write.checkpoint_id = any (${parameter("checkpointIds")}::text[])`)
        .where(isNoSendKept(parameter("sendersKept")))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("checkpoints as stored")
                .select("stored.checkpoint_id")
                .where("stored.thread_id", "=", parameter("threadId"))
                .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
                .whereRef("stored.checkpoint_id", "=", "write.checkpoint_id")
                // Has each looked up by the index, whatever the statistics say.
                .offset(sql.lit(0)),
            ),
          ),
        )
        .returning(storedSize("write.blob").as("bytes")),
    )
    .selectFrom("gone")
    .select([
      sql<number>`count(*)::float8`.as("writes"),
      sql<number>`coalesce(sum(gone.bytes), 0)::float8`.as("bytes"),
    ]),
);

/** Counts the writes of checkpoints of each namespace. */
export async function countWrites(call: CallContext, keys: readonly WritesKey[]): Promise<WrittenRow[]> {
  if (keys.length === 0) return [];
  const given = keys.map(({ checkpointIds: ids, sendersKept: kept, ...key }) => ({
    key,
    lists: { ids, kept },
  }));
  const rows = await runStatement(call, countThose, givenParams(given));
  return rows.map(({ writes, bytes }) => ({ writes, bytes }));
}

const countThose = /* @__PURE__ */ new Statement<GivenParams, WrittenRow & OfNamespace>((db, parameter) =>
  withGiven(db, parameter, ["ids", "kept"])
    .selectFrom("given")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
          .innerJoinLateral(
            (inner) =>
              inner
                .selectFrom("checkpoint_writes as write")
                .select(storedSize("write.blob").as("bytes"))
                .where("write.thread_id", "=", GIVEN_THREAD)
                .where("write.checkpoint_ns", "=", GIVEN_NS)
                .whereRef("write.checkpoint_id", "=", "named.id")
                .where(isNoSendKept(givenList("kept")))
                // Has each looked up by the index, whatever the statistics say.
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
    .select(["given.n", "each.writes", "each.bytes"])
    .orderBy("given.n"),
);

/** Whether `write` is none of the sends that stay. */
function isNoSendKept(sendersKept: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(write.channel <> ${sql.lit(TASKS)} or write.checkpoint_id <> all (${sendersKept}::text[]))`;
}
