import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { containsText } from "../../threads/queries/contains-text.js";
import { idOfTime, timeInHeader } from "./header-time.js";
import { type Condition, countPage, isAfter, isAmong, isSince, type RecentParams, type RecentThreadRow } from "./recent-threads.js";

/**
 * Lists threads by the times of their newest checkpoints, without lookups in a loop (N4): each node joins the newest checkpoints of all of its threads with their headers.
 */
export const recentOnNodes = /* @__PURE__ */ new StatementFamily<
  readonly Condition[],
  RecentParams,
  RecentThreadRow
>(
  (narrowed) => (db, parameter) =>
    db
      .with("page", (qb) =>
        qb
          .selectFrom((eb) =>
            eb
              .selectFrom(headsOf(db, parameter, narrowed).as("head"))
              .selectAll("head")
              .select(
                idOfTime(sql.ref<string>("head.checkpoint_id"), sql.ref<string | null>("head.ts")).as(
                  "place",
                ),
              )
              .as("placed"),
          )
          .selectAll("placed")
          .$if(narrowed.includes("after"), (query) =>
            query.where(isAfter(parameter("place"), parameter("threadId"))),
          )
          .$if(narrowed.includes("since"), (query) => query.where(isSince(parameter("since"))))
          .orderBy(sql`place collate "C"`, "desc")
          .orderBy(sql`thread_id collate "C"`, "desc")
          .limit(parameter("limit")),
      )
      .with("counted", countPage)
      .selectFrom("page")
      .innerJoin("counted", "counted.thread_id", "page.thread_id")
      .selectAll("page")
      .select(["counted.checkpoints", "counted.namespaces"])
      .orderBy(sql`page.place collate "C"`, "desc")
      .orderBy(sql`page.thread_id collate "C"`, "desc"),
);

/** The newest checkpoint of each thread. */
function headsOf(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<RecentParams>,
  narrowed: readonly Condition[],
) {
  const newest = db
    .selectFrom("checkpoints as each")
    .$if(narrowed.includes("search"), (query) =>
      query.where(containsText(sql.ref<string>("each.thread_id"), parameter("search"))),
    )
    .$if(narrowed.includes("among"), (query) =>
      query.where(isAmong(sql.ref<string>("each.thread_id"), parameter("among"))),
    )
    .distinctOn("each.thread_id")
    .select(["each.thread_id", "each.checkpoint_id", "each.checkpoint_ns"])
    .orderBy("each.thread_id")
    .orderBy(sql`each.checkpoint_id collate "C"`, "desc")
    .orderBy(sql`each.checkpoint_ns collate "C"`);
  return db
    .selectFrom(newest.as("newest"))
    .innerJoin("checkpoints as head", (join) =>
      join
        .onRef("head.thread_id", "=", "newest.thread_id")
        .onRef("head.checkpoint_ns", "=", "newest.checkpoint_ns")
        .onRef("head.checkpoint_id", "=", "newest.checkpoint_id"),
    )
    .$if(narrowed.includes("filter"), (query) =>
      query.where(sql<SqlBool>`head.metadata @> ${parameter("filter")}::jsonb`),
    )
    .$if(narrowed.includes("unlike"), (query) =>
      query.where(sql<SqlBool>`not head.metadata @> any (${parameter("unlike")}::text[]::jsonb[])`),
    )
    .select(["head.thread_id", "head.checkpoint_ns", "head.checkpoint_id"])
    .select((eb) => timeInHeader(eb.ref("head.checkpoint_id"), eb.ref("head.checkpoint")).as("ts"))
    .select([textOf("step").as("step"), textOf("source").as("source")]);
}

function textOf(name: "step" | "source"): RawBuilder<string | null> {
  return sql<string | null>`head.metadata ->> ${sql.lit(name)}`;
}
