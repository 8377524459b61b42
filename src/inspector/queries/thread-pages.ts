import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { placementOf, type Placement } from "../../db/placement/placement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { conditionsOn, TS_OF_STORED } from "../../threads/queries/listed-threads.js";
import { idOfTime, timeInHeader } from "./header-time.js";
import { withNewest } from "./newest-of-threads.js";
import {
  CONDITIONS,
  type ThreadPageParams,
  placeConditions,
  threadConditions,
  type ThreadCondition,
  type ThreadsScope,
} from "./thread-conditions.js";
import { withOpenThreads } from "./open-threads.js";
import { runUncompiled } from "../../db/statements/run-uncompiled.js";

/** A thread with its newest checkpoint. */
export interface ThreadPageRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  /** The time in the header; `null` when the id contains a time. */
  readonly ts: string | null;
  /** The short texts, numbers and booleans of the metadata, as JSON: a list of `{ key, value }`. */
  readonly facts: string | null;
  /** Where the thread is in the order. */
  readonly place: string;
  readonly checkpoints: number;
  readonly namespaces: number;
}

/**
 * Which threads, in which order:
 *
 * - `byId`: by their ids. It first finds the checkpoints that match the filter: a walk from thread to thread would look up most threads of
 *   the database where few match.
 * - `recent`: by the times of their newest checkpoints, the latest first. It reads the index entries of all checkpoints.
 * - `failed`, `interrupted`: those whose newest checkpoint of the root graph has such a task, by the ids of these checkpoints. It reads the
 *   entries of all interrupts and errors, also of past ones, so only use it where there is an index of these.
 */
export type ThreadListName = "byId" | "recent" | "failed" | "interrupted";

/** Lists threads. */
export async function listThreadPage(
  call: CallContext,
  list: ThreadListName,
  scope: ThreadsScope,
  limit: number,
): Promise<ThreadPageRow[]> {
  const { after, oldestFirst = false } = scope;
  const { isOnNodes } = await placementOf(call);
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  const shape = {
    list: list === "byId" || list === "recent" ? list : "open",
    narrowed,
    oldestFirst,
    isOnNodes,
  } as const;
  return runUncompiled(call, pages.of(shape), {
    ...{ failed: list === "failed", place: after?.place ?? "", threadId: after?.threadId ?? "" },
    ...{ before: scope.before ?? "", since: scope.since ?? "" },
    ...{ among: scope.among ?? [], filter: scope.filter ?? "", unlike: scope.unlike ?? [], limit },
  });
}

interface PageShape extends Placement {
  readonly list: "byId" | "recent" | "open";
  readonly narrowed: readonly ThreadCondition[];
  readonly oldestFirst: boolean;
}

type Db = QueryCreator<CheckpointDatabase>;
type Page = Omit<ThreadPageRow, "checkpoints" | "namespaces">;
type PagedDb = QueryCreator<CheckpointDatabase & { page: Page }>;

const pages = new StatementFamily<PageShape, ThreadPageParams, ThreadPageRow>((shape) => (db, parameter) => {
  const { list, isOnNodes, oldestFirst } = shape;
  const ofRecent = isOnNodes ? withPageOnNodes : withRecentPage;
  const withPage = list === "open" ? withOpenPage : list === "byId" ? withPageById : ofRecent;
  const direction = oldestFirst ? "asc" : "desc";
  return (
    withPage(db, parameter, shape)
      // Statements about open threads join tables by the thread, also where they could look rows up.
      .with("counted", !isOnNodes && list !== "open" ? countByLookup : countByJoin)
      .selectFrom("page")
      .innerJoin("counted", "counted.thread_id", "page.thread_id")
      .selectAll("page")
      .select(["counted.checkpoints", "counted.namespaces"])
      .$if(list === "byId", (query) => query.orderBy("page.thread_id"))
      .$if(list !== "byId", (query) =>
        query
          .orderBy(sql`page.place collate "C"`, direction)
          .orderBy(sql`page.thread_id collate "C"`, direction),
      )
  );
});

/**
 * What is read of the metadata of a thread on a page. Early versions of LangGraph stored whole values there: that of long ones is not read.
 * No subquery, which Citus would refuse here.
 */
const FACTS = sql<
  string | null
>`case when pg_column_size(head.metadata) <= 16384 then jsonb_path_query_array(head.metadata, ${sql.lit(
  `$.keyvalue() ? (@.value.type() == "number" || @.value.type() == "boolean" || @.value like_regex "^.{1,200}$" flag "s")`,
)}, '{}', true)::text end`.as("facts");

function withPageById(db: Db, parameter: Parameter<ThreadPageParams>, { narrowed }: PageShape): PagedDb {
  return withNewest(db, narrowed, parameter).with("page", (qb) =>
    qb
      // In this order Postgres needs to find no more threads than the page has.
      .selectFrom((eb) => eb.selectFrom("newest").selectAll().orderBy("newest.thread_id").as("sorted"))
      .innerJoinLateral(headOfSorted(db), (join) => join.onTrue())
      .where((eb) => eb.and(conditionsOn(sql.ref("head.metadata"), narrowed, parameter)))
      .select(["sorted.thread_id", "sorted.checkpoint_id", "head.checkpoint_ns", "head.ts"])
      .select([FACTS, "sorted.thread_id as place"])
      .limit(parameter("limit")),
  );
}

function withRecentPage(db: Db, parameter: Parameter<ThreadPageParams>, shape: PageShape): PagedDb {
  const { narrowed } = shape;
  // The page ends at a place in the order of time, and not at an id.
  const ofThreads = narrowed.filter((name) => name !== "after");
  return withNewest(db, ofThreads, parameter)
    .with("placed", (qb) =>
      qb
        .selectFrom("newest")
        .select(["newest.thread_id", "newest.checkpoint_id"])
        .select((eb) => {
          // Only ids without a time need the header. The planner would rather look up all of them.
          const header = eb
            .selectFrom("checkpoints as timed")
            .whereRef("timed.thread_id", "=", "newest.thread_id")
            .whereRef("timed.checkpoint_id", "=", "newest.checkpoint_id")
            .select(sql<string | null>`timed.checkpoint ->> 'ts'`.as("ts"))
            .limit(sql.lit(1));
          return sql<
            string | null
          >`case when ${isUuid6(eb.ref("newest.checkpoint_id"))} then null else (${header}) end`.as("ts");
        }),
    )
    .with("ordered", (qb) =>
      qb
        .selectFrom("placed")
        .selectAll()
        .select((eb) => idOfTime(eb.ref("placed.checkpoint_id"), eb.ref("placed.ts")).as("place")),
    )
    .with("page", (qb) =>
      qb
        .selectFrom((eb) =>
          eb
            .selectFrom("ordered")
            .selectAll()
            .where((row) => row.and(placeConditions(parameter, shape)))
            .orderBy(sql`place collate "C"`, "desc")
            .orderBy(sql`thread_id collate "C"`, "desc")
            // Without filters on the metadata, only the rows of the page are looked up.
            .$if(!narrowed.includes("filter") && !narrowed.includes("unlike"), (query) =>
              query.limit(parameter("limit")),
            )
            .as("sorted"),
        )
        .innerJoinLateral(headOfSorted(db), (join) => join.onTrue())
        .where((eb) => eb.and(conditionsOn(sql.ref("head.metadata"), narrowed, parameter)))
        .select(["sorted.thread_id", "sorted.checkpoint_id", "sorted.ts", "sorted.place"])
        .select(["head.checkpoint_ns", FACTS])
        .limit(parameter("limit")),
    );
}

/** The newest checkpoint of a thread in `sorted`. */
function headOfSorted(db: Db) {
  return db
    .selectFrom("checkpoints as stored")
    .where("stored.thread_id", "=", sql.ref<string>("sorted.thread_id"))
    .where("stored.checkpoint_id", "=", sql.ref<string>("sorted.checkpoint_id"))
    .select(["stored.checkpoint_ns", "stored.metadata", TS_OF_STORED.as("ts")])
    .orderBy(sql`stored.checkpoint_ns collate "C"`)
    .limit(sql.lit(1))
    .as("head");
}

/** Without lookups in a loop (N4): each node joins the newest checkpoints of all of its threads with their headers. */
function withPageOnNodes(db: Db, parameter: Parameter<ThreadPageParams>, shape: PageShape): PagedDb {
  const { narrowed } = shape;
  const newest = db
    .selectFrom("checkpoints as each")
    .where((eb) => eb.and(threadConditions(eb.ref("each.thread_id"), narrowed, parameter)))
    .distinctOn("each.thread_id")
    .select(["each.thread_id", "each.checkpoint_id", "each.checkpoint_ns"])
    .orderBy("each.thread_id")
    .orderBy(sql`each.checkpoint_id collate "C"`, "desc")
    .orderBy(sql`each.checkpoint_ns collate "C"`);
  const heads = db
    .selectFrom(newest.as("newest"))
    .innerJoin("checkpoints as head", (join) =>
      join
        .onRef("head.thread_id", "=", "newest.thread_id")
        .onRef("head.checkpoint_ns", "=", "newest.checkpoint_ns")
        .onRef("head.checkpoint_id", "=", "newest.checkpoint_id"),
    )
    .where((eb) => eb.and(conditionsOn(eb.ref("head.metadata"), narrowed, parameter)))
    .select(["head.thread_id", "head.checkpoint_ns", "head.checkpoint_id"])
    .select((eb) => timeInHeader(eb.ref("head.checkpoint_id"), eb.ref("head.checkpoint")).as("ts"))
    .select(FACTS);
  return db.with("page", (qb) =>
    qb
      .selectFrom((eb) =>
        eb
          .selectFrom(heads.as("head"))
          .selectAll("head")
          .select(
            idOfTime(sql.ref<string>("head.checkpoint_id"), sql.ref<string | null>("head.ts")).as("place"),
          )
          .as("placed"),
      )
      .selectAll("placed")
      .where((eb) => eb.and(placeConditions(parameter, shape)))
      .orderBy(sql`place collate "C"`, "desc")
      .orderBy(sql`thread_id collate "C"`, "desc")
      .limit(parameter("limit")),
  );
}

function withOpenPage(db: Db, parameter: Parameter<ThreadPageParams>, shape: PageShape): PagedDb {
  const { narrowed, oldestFirst, isOnNodes } = shape;
  const direction = oldestFirst ? "asc" : "desc";
  return withOpenThreads(db, isOnNodes).with("page", (qb) =>
    qb
      .selectFrom("open")
      .innerJoin("checkpoints as head", (join) =>
        join
          .onRef("head.thread_id", "=", "open.thread_id")
          .on("head.checkpoint_ns", "=", sql.lit(""))
          .onRef("head.checkpoint_id", "=", "open.checkpoint_id"),
      )
      .where("open.has_failed", "=", parameter("failed"))
      .where((eb) =>
        eb.and([
          ...placeConditions(parameter, shape, eb.ref("open.checkpoint_id"), eb.ref("open.thread_id")),
          ...threadConditions(eb.ref("open.thread_id"), narrowed, parameter),
          ...conditionsOn(eb.ref("head.metadata"), narrowed, parameter),
        ]),
      )
      .select(["open.thread_id", "open.checkpoint_id", "head.checkpoint_ns"])
      .select((eb) => timeInHeader(eb.ref("head.checkpoint_id"), eb.ref("head.checkpoint")).as("ts"))
      .select([FACTS, "open.checkpoint_id as place"])
      .orderBy(sql`open.checkpoint_id collate "C"`, direction)
      .orderBy(sql`open.thread_id collate "C"`, direction)
      .limit(parameter("limit")),
  );
}

/** Counts the checkpoints and the namespaces of the threads on a page, which it looks up. */
function countByLookup(db: PagedDb) {
  return counted(db).where(
    sql<SqlBool>`each.thread_id = any (array(${db.selectFrom("page").select("page.thread_id")}))`,
  );
}

/** The same for statements that join tables by the thread. */
function countByJoin(db: PagedDb) {
  return counted(db).innerJoin("page", "page.thread_id", "each.thread_id");
}

function counted(db: PagedDb) {
  return db
    .selectFrom("checkpoints as each")
    .groupBy("each.thread_id")
    .select("each.thread_id")
    .select([
      sql<number>`count(*)::float8`.as("checkpoints"),
      sql<number>`count(distinct each.checkpoint_ns)::float8`.as("namespaces"),
    ]);
}
