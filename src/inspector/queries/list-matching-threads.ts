import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { listThreadRows } from "../../threads/queries/list-thread-rows.js";
import { type ThreadRow, type ThreadScope, TS_OF_STORED } from "../../threads/queries/listed-threads.js";
import { withNewest } from "./newest-of-threads.js";
import { countByLookup } from "./recent-threads.js";
import { runUncompiled } from "./run-uncompiled.js";

/** Which threads to list. */
export type MatchingScope = Pick<ThreadScope, "after" | "search" | "filter" | "unlike">;

/**
 * Lists what `listThreadRows` lists. For a filter it first finds the checkpoints that match: a walk from thread to thread would look up
 * most threads of the database where few match.
 */
export async function listMatchingThreads(
  call: CallContext,
  scope: MatchingScope,
  limit: number,
): Promise<ThreadRow[]> {
  const { after = "", search = "", filter, unlike = [] } = scope;
  if (filter === undefined || !(await placementOf(call)).form.looksUpRows) {
    return listThreadRows(call, { ...scope, updatedAfter: undefined }, limit);
  }
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  return runUncompiled(call, statements.of(narrowed), { after, search, filter, unlike, limit });
}

const CONDITIONS = ["after", "search", "unlike"] as const satisfies readonly (keyof MatchingScope)[];

interface MatchingParams {
  readonly after: string;
  readonly search: string;
  readonly filter: string;
  readonly unlike: readonly string[];
  readonly limit: number;
}

const statements = /* @__PURE__ */ new StatementFamily<
  readonly (typeof CONDITIONS)[number][],
  MatchingParams,
  ThreadRow
>((narrowed) => (db, parameter) => {
  const given = <Name extends (typeof CONDITIONS)[number]>(name: Name) =>
    narrowed.includes(name) ? parameter(name) : undefined;
  return withNewest(db, { after: given("after"), search: given("search"), filter: parameter("filter") })
    .with("page", (qb) =>
      qb
        // In this order Postgres needs to find no more threads than the page has.
        .selectFrom((eb) => eb.selectFrom("newest").selectAll().orderBy("newest.thread_id").as("sorted"))
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoints as stored")
              .whereRef("stored.thread_id", "=", "sorted.thread_id")
              .whereRef("stored.checkpoint_id", "=", "sorted.checkpoint_id")
              .select(["stored.checkpoint_ns", "stored.metadata", TS_OF_STORED.as("ts")])
              .orderBy(sql`stored.checkpoint_ns collate "C"`)
              .limit(sql.lit(1))
              .as("head"),
          (join) => join.onTrue(),
        )
        .where(sql<SqlBool>`head.metadata @> ${parameter("filter")}::jsonb`)
        .$if(narrowed.includes("unlike"), (query) =>
          query.where(sql<SqlBool>`not head.metadata @> any (${parameter("unlike")}::text[]::jsonb[])`),
        )
        .select(["sorted.thread_id", "sorted.checkpoint_id", "head.checkpoint_ns", "head.ts"])
        .select(sql<string | null>`head.metadata::text`.as("metadata"))
        .limit(parameter("limit")),
    )
    .with("counted", countByLookup)
    .selectFrom("page")
    .innerJoin("counted", "counted.thread_id", "page.thread_id")
    .selectAll("page")
    .select(["counted.checkpoints", "counted.namespaces"])
    .orderBy("page.thread_id");
});
