import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { placementOf, type StatementForm } from "../../db/placement/placement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { containsText } from "../../threads/queries/contains-text.js";
import { timeInHeader } from "./header-time.js";
import { countPage, isAmong, type RecentThreadRow } from "./recent-threads.js";
import { runUncompiled } from "./run-uncompiled.js";
import { literals } from "./literals.js";
import { CONTROL_CHANNELS, OPEN_CHANNELS } from "../values/task-channels.js";

/** Which threads with open tasks to list. `undefined` is no condition. */
export interface OpenScope {
  /** Whether the threads that have failed are listed, or those that wait. */
  readonly failed: boolean;
  /** Whether those that have been open for longest come first. */
  readonly oldestFirst: boolean;
  /** The checkpoint and the thread at the end of the preceding page. */
  readonly after: { readonly place: string; readonly threadId: string } | undefined;
  /** Only threads whose newest checkpoint has a smaller id. */
  readonly before: string | undefined;
  /** The smallest id of the newest checkpoint. */
  readonly since: string | undefined;
  readonly search: string | undefined;
  /** Only these threads. */
  readonly among: readonly string[] | undefined;
  /** JSON text that the metadata of the newest checkpoint contains. */
  readonly filter: string | undefined;
  /** JSON texts, none of which the metadata of the newest checkpoint contains. */
  readonly unlike: readonly string[] | undefined;
}

/**
 * Lists the threads whose newest checkpoint of the root graph has an open task. It reads the entries of all interrupts and errors, also of
 * past ones, so only use it where there is an index of these.
 */
export async function listOpenThreads(
  call: CallContext,
  scope: OpenScope,
  limit: number,
): Promise<RecentThreadRow[]> {
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  const { failed, oldestFirst } = scope;
  const { looksUpRows } = (await placementOf(call)).form;
  return runUncompiled(call, lists.of({ narrowed, oldestFirst, looksUpRows }), {
    failed,
    place: scope.after?.place ?? "",
    threadId: scope.after?.threadId ?? "",
    before: scope.before ?? "",
    since: scope.since ?? "",
    search: scope.search ?? "",
    among: scope.among ?? [],
    filter: scope.filter ?? "",
    unlike: scope.unlike ?? [],
    limit,
  });
}

/** How many threads have an open task. */
export interface OpenCountRow {
  readonly interrupted: number;
  readonly failed: number;
}

/** Counts what {@link listOpenThreads} lists. */
export async function countOpenThreads(call: CallContext): Promise<OpenCountRow> {
  const { looksUpRows } = (await placementOf(call)).form;
  const [row] = await runUncompiled(call, counts.of(looksUpRows), {});
  return row ?? { interrupted: 0, failed: 0 };
}

const CONDITIONS = [
  "after",
  "before",
  "since",
  "search",
  "among",
  "filter",
  "unlike",
] as const satisfies readonly (keyof OpenScope)[];

interface ListShape extends Pick<StatementForm, "looksUpRows"> {
  readonly narrowed: readonly (typeof CONDITIONS)[number][];
  readonly oldestFirst: boolean;
}

interface ListParams {
  readonly failed: boolean;
  readonly place: string;
  readonly threadId: string;
  readonly before: string;
  readonly since: string;
  readonly search: string;
  readonly among: readonly string[];
  readonly filter: string;
  readonly unlike: readonly string[];
  readonly limit: number;
}

const lists = /* @__PURE__ */ new StatementFamily<ListShape, ListParams, RecentThreadRow>(
  ({ narrowed, oldestFirst, looksUpRows }) =>
    (db, parameter) => {
      const has = (name: (typeof CONDITIONS)[number]) => narrowed.includes(name);
      const direction = oldestFirst ? "asc" : "desc";
      return withOpenThreads(db, looksUpRows)
        .with("page", (qb) =>
          qb
            .selectFrom("open")
            .innerJoin("checkpoints as head", (join) =>
              join
                .onRef("head.thread_id", "=", "open.thread_id")
                .on("head.checkpoint_ns", "=", sql.lit(""))
                .onRef("head.checkpoint_id", "=", "open.checkpoint_id"),
            )
            .where("open.has_failed", "=", parameter("failed"))
            .$if(has("after"), (query) => query.where(isBeyond(parameter, oldestFirst)))
            .$if(has("before"), (query) =>
              query.where(sql<SqlBool>`open.checkpoint_id collate "C" < ${parameter("before")}`),
            )
            .$if(has("since"), (query) =>
              query.where(sql<SqlBool>`open.checkpoint_id collate "C" >= ${parameter("since")}`),
            )
            .$if(has("among"), (query) =>
              query.where((eb) => isAmong(eb.ref("open.thread_id"), parameter("among"))),
            )
            .$if(has("search"), (query) =>
              query.where((eb) => containsText(eb.ref("open.thread_id"), parameter("search"))),
            )
            .$if(has("filter"), (query) =>
              query.where(sql<SqlBool>`head.metadata @> ${parameter("filter")}::jsonb`),
            )
            .$if(has("unlike"), (query) =>
              query.where(sql<SqlBool>`not head.metadata @> any (${parameter("unlike")}::text[]::jsonb[])`),
            )
            .select(["open.thread_id", "open.checkpoint_id", "head.checkpoint_ns"])
            .select((eb) => [
              timeInHeader(eb.ref("head.checkpoint_id"), eb.ref("head.checkpoint")).as("ts"),
              sql<string | null>`head.metadata ->> 'step'`.as("step"),
              sql<string | null>`head.metadata ->> 'source'`.as("source"),
            ])
            .orderBy(sql`open.checkpoint_id collate "C"`, direction)
            .orderBy(sql`open.thread_id collate "C"`, direction)
            .limit(parameter("limit")),
        )
        .with("counted", countPage)
        .selectFrom("page")
        .innerJoin("counted", "counted.thread_id", "page.thread_id")
        .select(["page.thread_id", "page.checkpoint_id", "page.checkpoint_ns", "page.ts", "page.step"])
        .select(["page.source", "page.checkpoint_id as place", "counted.checkpoints", "counted.namespaces"])
        .orderBy(sql`page.checkpoint_id collate "C"`, direction)
        .orderBy(sql`page.thread_id collate "C"`, direction);
    },
);

const counts = /* @__PURE__ */ new StatementFamily<boolean, object, OpenCountRow>(
  (looksUpRows) => (db) =>
    withOpenThreads(db, looksUpRows)
      .selectFrom("open")
      .select([
        sql<number>`(count(*) filter (where not has_failed))::float8`.as("interrupted"),
        sql<number>`(count(*) filter (where has_failed))::float8`.as("failed"),
      ]),
);

/** Whether a thread is after the end of the preceding page. */
function isBeyond(parameter: Parameter<ListParams>, oldestFirst: boolean) {
  const operator = oldestFirst ? sql`>` : sql`<`;
  return sql<SqlBool>`(open.checkpoint_id collate "C", open.thread_id collate "C")
    ${operator} (${parameter("place")}::text collate "C", ${parameter("threadId")}::text collate "C")`;
}

/** The threads whose newest checkpoint of the root graph has a task with an interrupt or an error, and without an output. */
function withOpenThreads(db: QueryCreator<CheckpointDatabase>, looksUpRows: boolean) {
  return (
    db
      // The index has all of this in its order.
      .with("marked", (qb) =>
        qb
          .selectFrom("checkpoint_writes as mark")
          .where("mark.checkpoint_ns", "=", sql.lit(""))
          .where("mark.channel", "in", literals(OPEN_CHANNELS))
          .groupBy("mark.thread_id")
          .select(["mark.thread_id", sql<string>`max(mark.checkpoint_id collate "C")`.as("checkpoint_id")]),
      )
      .with(
        // Otherwise the planner, which expects one such thread, joins all marks first. Nodes would send what is materialized.
        (cte) => (looksUpRows ? cte("newest").materialized() : cte("newest")),
        (qb) =>
          qb
            .selectFrom("marked")
            .selectAll()
            .where((eb) =>
              eb.not(
                eb.exists(
                  eb
                    .selectFrom("checkpoints as later")
                    .whereRef("later.thread_id", "=", "marked.thread_id")
                    .where("later.checkpoint_ns", "=", sql.lit(""))
                    .where(sql<SqlBool>`later.checkpoint_id collate "C" > marked.checkpoint_id collate "C"`)
                    .select("later.thread_id"),
                ),
              ),
            ),
      )
      .with("open", (qb) =>
        qb
          .selectFrom("newest")
          .innerJoin("checkpoint_writes as mark", (join) =>
            join
              .onRef("mark.thread_id", "=", "newest.thread_id")
              .on("mark.checkpoint_ns", "=", sql.lit(""))
              .onRef("mark.checkpoint_id", "=", "newest.checkpoint_id"),
          )
          .where("mark.channel", "in", literals(OPEN_CHANNELS))
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom("checkpoint_writes as output")
                  .whereRef("output.thread_id", "=", "newest.thread_id")
                  .where("output.checkpoint_ns", "=", sql.lit(""))
                  .whereRef("output.checkpoint_id", "=", "newest.checkpoint_id")
                  .whereRef("output.task_id", "=", "mark.task_id")
                  .where("output.channel", "not in", literals(CONTROL_CHANNELS))
                  .select("output.idx"),
              ),
            ),
          )
          .groupBy(["newest.thread_id", "newest.checkpoint_id"])
          .select(["newest.thread_id", "newest.checkpoint_id"])
          .select(sql<boolean>`bool_or(mark.channel = '__error__')`.as("has_failed")),
      )
  );
}
