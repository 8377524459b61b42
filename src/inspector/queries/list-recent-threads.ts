import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { idOfTime } from "./header-time.js";
import { withNewest } from "./newest-of-threads.js";
import { recentOnNodes } from "./recent-on-nodes.js";
import { runUncompiled } from "./run-uncompiled.js";
import {
  type Condition,
  CONDITIONS,
  countByLookup,
  isAfter,
  isSince,
  type RecentParams,
  type RecentScope,
  type RecentThreadRow,
} from "./recent-threads.js";

/** Lists threads by the times of their newest checkpoints, the latest first. It reads the index entries of all checkpoints. */
export async function listRecentThreads(
  call: CallContext,
  scope: RecentScope,
  limit: number,
): Promise<RecentThreadRow[]> {
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  const family = (await placementOf(call)).form.looksUpRows ? statements : recentOnNodes;
  return runUncompiled(call, family.of(narrowed), {
    place: scope.after?.place ?? "",
    threadId: scope.after?.threadId ?? "",
    search: scope.search ?? "",
    among: scope.among ?? [],
    since: scope.since ?? "",
    filter: scope.filter ?? "",
    unlike: scope.unlike ?? [],
    limit,
  });
}

const statements = /* @__PURE__ */ new StatementFamily<readonly Condition[], RecentParams, RecentThreadRow>(
  (narrowed) => (db, parameter) => {
    const has = (name: Condition) => narrowed.includes(name);
    return withNewest(db, {
      search: has("search") ? parameter("search") : undefined,
      among: has("among") ? parameter("among") : undefined,
      filter: has("filter") ? parameter("filter") : undefined,
    })
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
              .$if(has("after"), (query) => query.where(isAfter(parameter("place"), parameter("threadId"))))
              .$if(has("since"), (query) => query.where(isSince(parameter("since"))))
              .orderBy(sql`place collate "C"`, "desc")
              .orderBy(sql`thread_id collate "C"`, "desc")
              // Without filters on the metadata, only the rows of the page are looked up.
              .$if(!has("filter") && !has("unlike"), (query) => query.limit(parameter("limit")))
              .as("sorted"),
          )
          .innerJoinLateral(
            (eb) =>
              eb
                .selectFrom("checkpoints as head")
                .whereRef("head.thread_id", "=", "sorted.thread_id")
                .whereRef("head.checkpoint_id", "=", "sorted.checkpoint_id")
                .select(["head.checkpoint_ns", "head.metadata"])
                .orderBy(sql`head.checkpoint_ns collate "C"`)
                .limit(sql.lit(1))
                .as("head"),
            (join) => join.onTrue(),
          )
          .$if(has("filter"), (query) =>
            query.where(sql<SqlBool>`head.metadata @> ${parameter("filter")}::jsonb`),
          )
          .$if(has("unlike"), (query) =>
            query.where(sql<SqlBool>`not head.metadata @> any (${parameter("unlike")}::text[]::jsonb[])`),
          )
          .select([
            "sorted.thread_id",
            "sorted.checkpoint_id",
            "sorted.ts",
            "sorted.place",
            "head.checkpoint_ns",
          ])
          .select([
            sql<string | null>`head.metadata ->> 'step'`.as("step"),
            sql<string | null>`head.metadata ->> 'source'`.as("source"),
          ])
          .limit(parameter("limit")),
      )
      .with("counted", countByLookup)
      .selectFrom("page")
      .innerJoin("counted", "counted.thread_id", "page.thread_id")
      .selectAll("page")
      .select(["counted.checkpoints", "counted.namespaces"])
      .orderBy(sql`page.place collate "C"`, "desc")
      .orderBy(sql`page.thread_id collate "C"`, "desc");
  },
);
