import {
  type Expression,
  type ExpressionBuilder,
  type QueryCreator,
  type RawBuilder,
  sql,
  type SqlBool,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily, type Parameter } from "../../db/statements/statement.js";
import { hasOptionalIndex } from "../../migrations/indexes/has-optional-index.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { newestOfThread } from "../../saver/queries/newest-of-thread.js";
import {
  type ConditionParams,
  conditionsOn,
  type ListedRow,
  type ThreadScope,
  TS_OF_STORED,
} from "./listed-threads.js";

/**
 * Up to this number of checkpoints, those that match a filter are looked up by the `metadata-index`, and only their threads are looked at.
 */
const MAX_MATCHING = 1_000;

/** Lists threads by their ids. It stops after `limit` threads. */
export async function listThreadRows(
  call: CallContext,
  scope: ThreadScope,
  limit: number,
): Promise<ListedRow[]> {
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  const { isOnNodes } = await placementOf(call);
  const usesIndex =
    !isOnNodes && scope.filter !== undefined && (await hasOptionalIndex(call, "metadata-index"));
  return runStatement(call, threads.of({ narrowed, isOnNodes, usesIndex }), {
    after: scope.after ?? "",
    filter: scope.filter ?? "",
    unlike: scope.unlike ?? [],
    updatedAfterId: scope.updatedAfter?.id ?? "",
    updatedAfterTs: scope.updatedAfter?.ts ?? "",
    limit,
  });
}

const CONDITIONS = ["after", "filter", "unlike", "updatedAfter"] as const satisfies (keyof ThreadScope)[];

type Narrowed = readonly (typeof CONDITIONS)[number][];

interface ThreadParams extends ConditionParams {
  readonly after: string;
  readonly updatedAfterId: string;
  readonly updatedAfterTs: string;
  readonly limit: number;
}

interface ThreadsShape {
  readonly narrowed: Narrowed;
  readonly isOnNodes: boolean;
  /** Whether an index has the metadata of all checkpoints. */
  readonly usesIndex: boolean;
}

const threads = new StatementFamily<ThreadsShape, ThreadParams, ListedRow>(
  ({ narrowed, isOnNodes, usesIndex }) =>
    (db, parameter) =>
      isOnNodes ? groupedThreads(db, parameter, narrowed) : walkedThreads(db, parameter, narrowed, usesIndex),
);

type Db = QueryCreator<CheckpointDatabase>;

/**
 * Walks the primary key's index from thread to thread, and within a thread from namespace to namespace. It reads only the row of the newest
 * checkpoint.
 */
function walkedThreads(db: Db, parameter: Parameter<ThreadParams>, narrowed: Narrowed, usesIndex: boolean) {
  const after = narrowed.includes("after") ? parameter("after") : undefined;
  const source = usesIndex ? withMatchingThreads(db, parameter, after) : withThreads(db, after);
  return (
    source
      .with("page", (qb) =>
        qb
          .selectFrom(threadsOf(qb, usesIndex))
          .innerJoinLateral(newestOfThread(db, sql.ref<string>("thread.thread_id")), (join) => join.onTrue())
          .innerJoinLateral(headOf, (join) => join.onTrue())
          .where("thread.thread_id", "is not", null)
          .where((eb) =>
            eb.and([
              ...conditionsOn(eb.ref("head.metadata"), narrowed, parameter),
              ...isUpdatedAfter(eb.ref("newest.checkpoint_id"), eb.ref("head.ts"), narrowed, parameter),
            ]),
          )
          .select(sql<string>`thread.thread_id`.as("thread_id"))
          .select(["newest.checkpoint_ns", "newest.checkpoint_id", "newest.namespaces"])
          .select(["newest.checkpoints", "head.ts"])
          .select((eb) => sql<string | null>`${eb.ref("head.metadata")}::text`.as("metadata"))
          .limit(parameter("limit")),
      )
      .with("counted", countPage)
      .selectFrom("page")
      .leftJoin("counted", "counted.thread_id", "page.thread_id")
      .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id", "page.metadata", "page.ts"])
      .select("page.namespaces")
      // A thread on the page has at least one checkpoint.
      .select((eb) => eb.fn.coalesce("page.checkpoints", "counted.checkpoints").$notNull().as("checkpoints"))
      .orderBy("page.thread_id")
  );
}

/** Lists threads without a walk (N4): each node groups its threads in the order of the primary key. */
function groupedThreads(db: Db, parameter: Parameter<ThreadParams>, narrowed: Narrowed) {
  return db
    .selectFrom(
      db
        .selectFrom("checkpoints as each")
        .$if(narrowed.includes("after"), (rows) => rows.where("each.thread_id", ">", parameter("after")))
        .groupBy("each.thread_id")
        .select("each.thread_id")
        .select([
          sql<string>`max(each.checkpoint_id collate "C")`.as("checkpoint_id"),
          sql<string>`(array_agg(each.checkpoint_ns
          order by each.checkpoint_id collate "C" desc, each.checkpoint_ns))[1]`.as("checkpoint_ns"),
          sql<number>`count(distinct each.checkpoint_ns)::float8`.as("namespaces"),
          sql<number>`count(*)::float8`.as("checkpoints"),
        ])
        .as("thread"),
    )
    .innerJoin("checkpoints as stored", (join) =>
      join
        .onRef("stored.thread_id", "=", "thread.thread_id")
        .onRef("stored.checkpoint_ns", "=", "thread.checkpoint_ns")
        .onRef("stored.checkpoint_id", "=", "thread.checkpoint_id"),
    )
    .where((eb) =>
      eb.and([
        ...conditionsOn(eb.ref("stored.metadata"), narrowed, parameter),
        ...isUpdatedAfter(eb.ref("thread.checkpoint_id"), TS_OF_STORED, narrowed, parameter),
      ]),
    )
    .select(["thread.thread_id", "thread.checkpoint_ns", "thread.checkpoint_id"])
    .select(["thread.namespaces", "thread.checkpoints"])
    .select([sql<string | null>`stored.metadata::text`.as("metadata"), TS_OF_STORED.as("ts")])
    .orderBy("thread.thread_id")
    .limit(parameter("limit"));
}

function isUpdatedAfter(
  id: Expression<string>,
  ts: Expression<string | null>,
  narrowed: Narrowed,
  parameter: Parameter<ThreadParams>,
): Expression<SqlBool>[] {
  if (!narrowed.includes("updatedAfter")) return [];
  return [
    sql<SqlBool>`case when ${isUuid6(id)} then ${id} collate "C" >= ${parameter("updatedAfterId")}
      else ${ts} collate "C" > ${parameter("updatedAfterTs")} end`,
  ];
}

type WithThread = CheckpointDatabase & { thread: { thread_id: string | null } };

/** The ids of all threads: each step looks up the next id in the index. The last row is NULL. */
function withThreads(
  db: Db,
  after: RawBuilder<string> | undefined,
  condition: Expression<SqlBool> = sql.lit(true),
): QueryCreator<WithThread> {
  return db.withRecursive("thread", (qb) =>
    qb
      .selectFrom(
        qb
          .selectFrom("checkpoints as first")
          .select("first.thread_id")
          .$if(after !== undefined, (query) => query.where("first.thread_id", ">", sql<string>`${after}`))
          .orderBy("first.thread_id")
          .limit(sql.lit(1))
          .as("beginning"),
      )
      .select(sql<string | null>`beginning.thread_id`.as("thread_id"))
      .where(condition)
      .unionAll((recursive) =>
        recursive
          .selectFrom("thread as previous")
          .where("previous.thread_id", "is not", null)
          .select((eb) =>
            eb
              .selectFrom("checkpoints as following")
              .select("following.thread_id")
              .whereRef("following.thread_id", ">", eb.ref("previous.thread_id"))
              .orderBy("following.thread_id")
              .limit(sql.lit(1))
              .as("thread_id"),
          ),
      ),
  );
}

/** Whether more checkpoints match a filter than are looked at. */
const areMany = sql<SqlBool>`(select count(*) from matching) > ${sql.lit(MAX_MATCHING)}`;

/** As the CTE `matching`, the threads of the checkpoints that match a filter. Only where these are many, the ids of all threads follow. */
function withMatchingThreads(
  db: Db,
  parameter: Parameter<ThreadParams>,
  after: RawBuilder<string> | undefined,
): QueryCreator<WithThread> {
  const matching = db.withRecursive("matching", (qb) =>
    qb
      .selectFrom("checkpoints as each")
      .select("each.thread_id")
      .where((eb) => eb.and(conditionsOn(eb.ref("each.metadata"), ["filter"], parameter)))
      .$if(after !== undefined, (query) => query.where("each.thread_id", ">", sql<string>`${after}`))
      .limit(sql.lit(MAX_MATCHING + 1)),
  );
  return withThreads(matching, after, areMany);
}

/** The threads of the CTE `thread`, and those of the CTE `matching` where it has few. */
function threadsOf(db: QueryCreator<WithThread>, usesIndex: boolean) {
  return db
    .selectFrom("thread")
    .select("thread.thread_id")
    .$if(usesIndex, (walked) =>
      walked.unionAll(
        db
          .selectFrom(
            db
              .selectFrom(sql<{ thread_id: string }>`matching`.as<"found">(sql`found`))
              .select("found.thread_id")
              .distinct()
              .where(sql<SqlBool>`not ${areMany}`)
              .orderBy("found.thread_id")
              .as("few"),
          )
          .select("few.thread_id"),
      ),
    )
    .as("thread");
}

type ThreadBuilder = ExpressionBuilder<
  WithThread & { newest: Pick<ListedRow, "checkpoint_ns" | "checkpoint_id"> },
  "thread" | "newest"
>;

/** The row of the newest checkpoint. With LIMIT the planner looks it up instead of reading the whole table. */
function headOf(eb: ThreadBuilder) {
  return eb
    .selectFrom("checkpoints as stored")
    .whereRef("stored.thread_id", "=", "thread.thread_id")
    .whereRef("stored.checkpoint_ns", "=", "newest.checkpoint_ns")
    .whereRef("stored.checkpoint_id", "=", "newest.checkpoint_id")
    .select(["stored.metadata", TS_OF_STORED.as("ts")])
    .limit(sql.lit(1))
    .as("head");
}

/**
 * Counts the checkpoints of all threads on the page that `newestOfThread` has not counted, in one pass, since the rows of a
 * thread may be spread over the whole table.
 */
function countPage(db: QueryCreator<CheckpointDatabase & { page: CountedThread }>) {
  const ids = db.selectFrom("page").where("page.checkpoints", "is", null).select("page.thread_id");
  return db
    .selectFrom("checkpoints as each")
    .where(sql<SqlBool>`each.thread_id = any (array(${ids}))`)
    .groupBy("each.thread_id")
    .select(["each.thread_id", sql<number>`count(*)::float8`.as("checkpoints")]);
}

interface CountedThread {
  readonly thread_id: string;
  readonly checkpoints: number | null;
}
