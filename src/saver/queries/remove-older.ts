import { TASKS } from "@langchain/langgraph-checkpoint";
import {
  type Expression,
  type ExpressionBuilder,
  type QueryCreator,
  type RawBuilder,
  sql,
  type SqlBool,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../model/checkpoint-key.js";
import { deleteUnreferenced } from "./delete-unreferenced.js";
import { eachCountedChannel } from "./header-parts.js";

/**
 * Deletes everything but the newest checkpoint from namespaces: other checkpoints, the writes of older ones, and
 * values that no checkpoint references. It keeps the writes of a checkpoint that has not been stored yet.
 *
 * Where a delta channel of the newest checkpoint has no value of its own, it keeps the ancestors and their writes,
 * which the value is computed from. A later `put` deletes them once the newest checkpoint no longer needs them.
 */
export function removeOlder(
  schema: string,
  namespaces: readonly NamespaceKey[],
): readonly BoundStatement<unknown>[] {
  return [
    removeAndLock.bind(schema, namespaceParams(namespaces)),
    deleteUnreferenced(schema, { namespaces }),
  ];
}

/**
 * Locks all checkpoints of namespaces until the transaction ends. The next statement sees what transactions stored
 * that had locked one of them.
 */
export function lockNamespaces(schema: string, namespaces: readonly NamespaceKey[]): BoundStatement<unknown> {
  return lockAll.bind(schema, namespaceParams(namespaces));
}

interface NamespaceParams {
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
}

function namespaceParams(namespaces: readonly NamespaceKey[]): NamespaceParams {
  return {
    threadIds: namespaces.map(({ threadId }) => threadId),
    checkpointNss: namespaces.map(({ checkpointNs }) => checkpointNs),
  };
}

function givenNamespaces(
  threadIds: RawBuilder<readonly string[]>,
  checkpointNss: RawBuilder<readonly string[]>,
) {
  return sql<{ thread_id: string; checkpoint_ns: string }>`unnest(
    ${threadIds}::text[], ${checkpointNss}::text[]
  )`.as<"given">(sql`given(thread_id, checkpoint_ns)`);
}

const lockAll = /* @__PURE__ */ new Statement<NamespaceParams, unknown>((db, parameter) =>
  db
    .selectFrom("checkpoints as held")
    .innerJoin(givenNamespaces(parameter("threadIds"), parameter("checkpointNss")), (join) =>
      join
        .onRef("given.thread_id", "=", "held.thread_id")
        .onRef("given.checkpoint_ns", "=", "held.checkpoint_ns"),
    )
    .select(sql.lit(1).as("held"))
    // Every statement that locks several checkpoints uses this order (C2).
    .orderBy(sql`held.thread_id collate "C"`)
    .orderBy(sql`held.checkpoint_ns collate "C"`)
    .orderBy(sql`held.checkpoint_id collate "C"`)
    .forUpdate("held"),
);

interface NewestCheckpoint {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  channel_versions: unknown;
  channel_values: unknown;
  /** Whether its sends are among the writes of its parent. */
  is_before_version_4: boolean;
}

type WriteOfNamespace = ExpressionBuilder<
  CheckpointDatabase & { settled: NewestCheckpoint; write: CheckpointDatabase["checkpoint_writes"] },
  "settled" | "write"
>;

type WithNewest = CheckpointDatabase & { newest: NewestCheckpoint };

/**
 * Deletes checkpoints, which `lockNamespaces` has locked, locks and deletes writes, and then locks values that the newest
 * checkpoint does not reference. `delete` takes its locks in the order in which it finds rows, so the writes are locked in the
 * order of their key before (C2). The counts make Postgres do these steps one after another.
 */
const removeAndLock = /* @__PURE__ */ new Statement<NamespaceParams, unknown>((db, parameter) =>
  withNewest(db, parameter("threadIds"), parameter("checkpointNss"))
    .with("settled", (qb) =>
      qb
        .selectFrom("newest")
        .selectAll()
        .where((eb) => eb.not(eb.exists(neededDeltaChannels(eb)))),
    )
    .with("removed_checkpoints", (qb) =>
      qb
        .deleteFrom("checkpoints as older")
        .using("settled")
        .whereRef("older.thread_id", "=", "settled.thread_id")
        .whereRef("older.checkpoint_ns", "=", "settled.checkpoint_ns")
        .whereRef("older.checkpoint_id", "<>", "settled.checkpoint_id")
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
    .selectFrom((eb) =>
      eb
        .selectFrom("checkpoint_blobs as stored")
        .innerJoin("newest", (join) =>
          join
            .onRef("stored.thread_id", "=", "newest.thread_id")
            .onRef("stored.checkpoint_ns", "=", "newest.checkpoint_ns"),
        )
        .select("stored.version")
        .where(sql<SqlBool>`(${eb.selectFrom("removed_writes").select(ROWS)}) >= 0`)
        .where(sql<SqlBool>`(newest.channel_versions ->> stored.channel) is distinct from stored.version`)
        .orderBy(sql`stored.thread_id collate "C"`)
        .orderBy(sql`stored.checkpoint_ns collate "C"`)
        .orderBy(sql`stored.channel collate "C"`)
        .orderBy(sql`stored.version collate "C"`)
        .forUpdate("stored")
        .as("locked"),
    )
    .select(ROWS),
);

/** Whether `write` belongs to an older checkpoint than `settled`, and is no send that `settled` reads. */
function isWriteOfOlder(eb: WriteOfNamespace): Expression<SqlBool> {
  return eb.and([
    eb("write.thread_id", "=", eb.ref("settled.thread_id")),
    eb("write.checkpoint_ns", "=", eb.ref("settled.checkpoint_ns")),
    sql<SqlBool>`write.checkpoint_id collate "C" < settled.checkpoint_id`,
    eb.not(
      eb.and([
        eb.ref("settled.is_before_version_4"),
        eb("write.channel", "=", sql.lit(TASKS)),
        eb("write.checkpoint_id", "=", eb.ref("settled.parent_checkpoint_id")),
      ]),
    ),
  ]);
}

const ROWS = /* @__PURE__ */ sql<number>`count(*)`.as("rows");

/** The CTE `newest`: the newest checkpoint of each namespace, with its header parsed once. */
function withNewest(
  db: QueryCreator<CheckpointDatabase>,
  threadIds: RawBuilder<readonly string[]>,
  checkpointNss: RawBuilder<readonly string[]>,
): QueryCreator<WithNewest> {
  return db.with("newest", (qb) =>
    qb
      .selectFrom(givenNamespaces(threadIds, checkpointNss))
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as head")
            .select(["head.checkpoint_id", "head.parent_checkpoint_id"])
            .select([
              sql`head.checkpoint -> 'channel_versions'`.as("channel_versions"),
              sql`head.checkpoint -> 'channel_values'`.as("channel_values"),
              sql<boolean>`coalesce(head.checkpoint -> 'v' < '4'::jsonb, false)`.as("is_before_version_4"),
            ])
            .whereRef("head.thread_id", "=", "given.thread_id")
            .whereRef("head.checkpoint_ns", "=", "given.checkpoint_ns")
            .orderBy(sql`head.checkpoint_id collate "C"`, "desc")
            .limit(sql.lit(1))
            .as("head"),
        (join) => join.onTrue(),
      )
      .selectAll("given")
      .selectAll("head"),
  );
}

/**
 * The delta channels that the newest checkpoint has a version of, but no value. LangGraph counts the changes of a
 * delta channel in the metadata of each step, but not in that of a manual update of the state. So any checkpoint of
 * the namespace decides.
 */
function neededDeltaChannels(newest: ExpressionBuilder<WithNewest, "newest">) {
  return newest
    .selectFrom("checkpoints as counting")
    .innerJoinLateral(
      (eb) => eachCountedChannel(eb.ref("counting.metadata")),
      (join) => join.onTrue(),
    )
    .select("counted.channel")
    .whereRef("counting.thread_id", "=", "newest.thread_id")
    .whereRef("counting.checkpoint_ns", "=", "newest.checkpoint_ns")
    .where(sql<SqlBool>`jsonb_exists(newest.channel_versions, counted.channel)`)
    .where(sql<SqlBool>`not coalesce(jsonb_exists(newest.channel_values, counted.channel), false)`)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("checkpoint_blobs as whole")
            .select("whole.type")
            .whereRef("whole.thread_id", "=", "newest.thread_id")
            .whereRef("whole.checkpoint_ns", "=", "newest.checkpoint_ns")
            .whereRef("whole.channel", "=", "counted.channel")
            .where(sql<SqlBool>`whole.version = newest.channel_versions ->> counted.channel`)
            .where("whole.type", "<>", sql.lit("empty")),
        ),
      ),
    );
}
