import { TASKS } from "@langchain/langgraph-checkpoint";
import { type Expression, type ExpressionBuilder, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../model/keys.js";
import { deleteUnreferenced } from "./delete-unreferenced.js";
import { eachChannelVersion } from "./header-parts.js";
import {
  givenNamespaces,
  type KeptCheckpoint,
  type NamespaceParams,
  type RemovalParams,
  type WithKept,
  withKept,
} from "./kept-checkpoints.js";
import { lackingCounted, lackingVersions, lackingWritten } from "./lacking-versions.js";
import { givenThreadId, type ThreadGroup, type ThreadNaming } from "./thread-groups.js";

/**
 * Deletes everything but the newest checkpoints from namespaces: other checkpoints, the writes of older ones, and
 * values that no checkpoint references. It keeps the writes of a checkpoint that has not been stored yet, and deletes nothing from
 * a namespace that has fewer checkpoints than are kept.
 *
 * Where a delta channel of a kept checkpoint has no value of its own, and the checkpoints that it is computed from are not all
 * among the kept ones, it deletes no checkpoint of the namespace (C9). A later `put` does, once none of the newest checkpoints needs
 * an older one.
 *
 * @param keepLast - How many of the newest checkpoints of each namespace stay.
 */
export function removeOlder(
  schema: string,
  group: ThreadGroup<NamespaceKey>,
  keepLast: number,
): readonly BoundStatement<unknown>[] {
  const { naming, threadId, items: namespaces } = group;
  return [
    removeAndLock.of(naming).bind(schema, { ...namespaceParams(group), keepLast }),
    deleteUnreferenced(schema, { naming, threadId, namespaces }),
  ];
}

/** The key of a stored checkpoint. */
export interface StoredCheckpoint {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

/**
 * Locks all checkpoints of namespaces until the transaction ends, and returns their keys. The next statement sees what transactions
 * stored that had locked one of them.
 */
export function lockNamespaces(
  schema: string,
  group: ThreadGroup<NamespaceKey>,
): BoundStatement<StoredCheckpoint> {
  return lockAll.of(group.naming).bind(schema, namespaceParams(group));
}

function namespaceParams({ threadId, items: namespaces }: ThreadGroup<NamespaceKey>): NamespaceParams {
  return {
    threadId,
    threadIds: namespaces.map(({ threadId }) => threadId),
    checkpointNss: namespaces.map(({ checkpointNs }) => checkpointNs),
  };
}

const lockAll = new StatementFamily<ThreadNaming, NamespaceParams, StoredCheckpoint>(
  (naming) => (db, parameter) =>
    db
      .selectFrom("checkpoints as held")
      .innerJoin(givenNamespaces(parameter), (join) =>
        join
          .on("held.thread_id", "=", givenThreadId(naming, parameter, "given.thread_id"))
          .onRef("given.checkpoint_ns", "=", "held.checkpoint_ns"),
      )
      .select(["held.thread_id", "held.checkpoint_ns", "held.checkpoint_id"])
      // Every statement that locks several checkpoints uses this order (C2).
      .orderBy(sql`held.thread_id collate "C"`)
      .orderBy(sql`held.checkpoint_ns collate "C"`)
      .orderBy(sql`held.checkpoint_id collate "C"`)
      .forUpdate("held"),
);

type WriteOfNamespace = ExpressionBuilder<
  WithKept & {
    settled: Pick<KeptCheckpoint, "thread_id" | "checkpoint_ns" | "checkpoint_id">;
    write: CheckpointDatabase["checkpoint_writes"];
  },
  "settled" | "write"
>;

/**
 * Deletes checkpoints, which `lockNamespaces` has locked, locks and deletes writes, and then locks values that no kept
 * checkpoint references. `delete` takes its locks in the order in which it finds rows, so the writes are locked in the
 * order of their key before (C2). The counts make Postgres do these steps one after another.
 */
const removeAndLock = new StatementFamily<ThreadNaming, RemovalParams, unknown>(
  (naming) => (db, parameter) => {
    const threadOf = (column: string): RawBuilder<string> => givenThreadId(naming, parameter, column);
    const threadOfLacking = threadOf("lacking.thread_id");
    const isWriteOfOlder = writesOfOlder(threadOf("settled.thread_id"));
    return (
      withKept(db, parameter, threadOf)
        .with("lacking", (qb) => lackingVersions(qb, threadOf("child.thread_id")))
        // The oldest checkpoint that stays, of each namespace from which checkpoints are deleted.
        .with("settled", (qb) =>
          qb
            .selectFrom("kept")
            .select(["thread_id", "checkpoint_ns", "checkpoint_id"])
            .where("rank", "=", parameter("keepLast"))
            .where(sql<SqlBool>`(thread_id, checkpoint_ns) not in (${lackingCounted(qb, threadOfLacking)})`)
            .where(sql<SqlBool>`(thread_id, checkpoint_ns) not in (${lackingWritten(qb, threadOfLacking)})`),
        )
        .with("removed_checkpoints", (qb) =>
          qb
            .deleteFrom("checkpoints as older")
            .using("settled")
            .where("older.thread_id", "=", threadOf("settled.thread_id"))
            .whereRef("older.checkpoint_ns", "=", "settled.checkpoint_ns")
            .where(sql<SqlBool>`older.checkpoint_id collate "C" < settled.checkpoint_id`)
            .returning("older.type"),
        )
        .with("held_writes", (qb) =>
          qb
            .selectFrom("checkpoint_writes as write")
            .innerJoin("settled", (join) => join.on(isWriteOfOlder))
            .select("write.idx")
            .where((eb) => sql<SqlBool>`(${eb.selectFrom("removed_checkpoints").select(ROWS)}) >= 0`)
            .orderBy(sql`write.thread_id collate "C"`)
            .orderBy(sql`write.checkpoint_ns collate "C"`)
            .orderBy(sql`write.checkpoint_id collate "C"`)
            .orderBy(sql`write.task_id collate "C"`)
            .orderBy("write.idx")
            .forUpdate("write"),
        )
        .with("removed_writes", (qb) =>
          qb
            .deleteFrom("checkpoint_writes as write")
            .using("settled")
            .where(isWriteOfOlder)
            .where((eb) => sql<SqlBool>`(${eb.selectFrom("held_writes").select(ROWS)}) >= 0`)
            .returning("write.idx"),
        )
        .with("referenced", (qb) =>
          qb
            .selectFrom("kept")
            .innerJoinLateral(eachChannelVersion(sql`kept.channel_versions`), (join) => join.onTrue())
            .select(["kept.thread_id", "kept.checkpoint_ns", "entry.channel", "entry.version"]),
        )
        .selectFrom((eb) =>
          eb
            .selectFrom("checkpoint_blobs as stored")
            .innerJoin(givenNamespaces(parameter), (join) =>
              join
                .on("stored.thread_id", "=", threadOf("given.thread_id"))
                .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns"),
            )
            .select("stored.version")
            .where(sql<SqlBool>`(${eb.selectFrom("removed_writes").select(ROWS)}) >= 0`)
            .where(
              sql<SqlBool>`((stored.thread_id, stored.checkpoint_ns, stored.channel, stored.version)
            in (${eb.selectFrom("referenced").selectAll()})) is not true`,
            )
            .orderBy(sql`stored.thread_id collate "C"`)
            .orderBy(sql`stored.checkpoint_ns collate "C"`)
            .orderBy(sql`stored.channel collate "C"`)
            .orderBy(sql`stored.version collate "C"`)
            .forUpdate("stored")
            .as("locked"),
        )
        .select(ROWS)
    );
  },
);

/** Whether `write` belongs to an older checkpoint than `settled`, and is no send that a kept checkpoint reads. */
function writesOfOlder(threadId: RawBuilder<string>): (eb: WriteOfNamespace) => Expression<SqlBool> {
  return (eb) => {
    const senders = eb
      .selectFrom("kept")
      .select(["kept.thread_id", "kept.checkpoint_ns", "kept.parent_checkpoint_id"])
      .where("kept.is_before_version_4", "=", sql.lit(true));
    return eb.and([
      eb("write.thread_id", "=", threadId),
      eb("write.checkpoint_ns", "=", eb.ref("settled.checkpoint_ns")),
      sql<SqlBool>`write.checkpoint_id collate "C" < settled.checkpoint_id`,
      sql<SqlBool>`(write.channel = ${sql.lit(TASKS)}
      and (write.thread_id, write.checkpoint_ns, write.checkpoint_id) in (${senders})) is not true`,
    ]);
  };
}

const ROWS = sql<number>`count(*)::float8`.as("rows");
