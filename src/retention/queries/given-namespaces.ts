import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Parameter, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { threadGroups, type ThreadNaming, type ThreadsParams } from "../../saver/queries/thread-groups.js";

/** The parameters of a statement that reads many namespaces at once. */
export interface GivenParams extends ThreadsParams {
  readonly checkpointNss: readonly string[];
  /** For each namespace, an object of lists as JSON text. A Postgres array of arrays needs rows of equal length. */
  readonly lists: readonly string[];
}

/** A namespace, and named lists of the ids or channels to look up in it. */
export interface GivenNamespace {
  readonly key: NamespaceKey;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** Identifies the given namespace that a result row belongs to. */
export interface GivenOrdinal {
  /** The position of the namespace in the parameters, starting at 1. */
  ordinal: number;
}

function givenParams(threadId: string, namespaces: readonly GivenNamespace[]): GivenParams {
  return {
    threadId,
    threadIds: namespaces.map(({ key }) => key.threadId),
    checkpointNss: namespaces.map(({ key }) => key.checkpointNs),
    lists: namespaces.map(({ lists }) => JSON.stringify(lists)),
  };
}

/** Groups result rows by namespace: one list per given namespace, in the same order. */
function rowsPerNamespace<Row extends GivenOrdinal>(
  namespaces: readonly unknown[],
  rows: readonly Row[],
): Row[][] {
  const each = namespaces.map((): Row[] => []);
  for (const row of rows) each[row.ordinal - 1]?.push(row);
  return each;
}

/** Where {@link runPerNamespace} gets its statement, by the way in which it has to name the threads. */
export interface GivenStatements<Params extends GivenParams, Row> {
  of(naming: ThreadNaming): Statement<Params, Row>;
}

/**
 * Runs a statement for many namespaces, and returns the rows of each one, in the same order. It sends nothing for none. Where
 * statements name their thread, it sends one for each (N1).
 *
 * @param more - The other parameters of the statement.
 */
export async function runPerNamespace<Row extends GivenOrdinal, More extends object>(
  call: CallContext,
  statements: GivenStatements<GivenParams & More, Row>,
  namespaces: readonly GivenNamespace[],
  more: More,
): Promise<Row[][]> {
  const found = new Map<GivenNamespace, Row[]>();
  for (const { naming, threadId, items } of await threadGroups(call, namespaces, ({ key }) => key.threadId)) {
    const params = { ...givenParams(threadId, items), ...more };
    const rows = rowsPerNamespace(items, await runStatement(call, statements.of(naming), params));
    for (const [at, item] of items.entries()) found.set(item, rows[at] ?? []);
  }
  return namespaces.map((each) => found.get(each) ?? []);
}

/** A row of the CTE `given`. */
export interface GivenRow extends GivenOrdinal {
  thread_id: string;
  checkpoint_ns: string;
}

/**
 * Adds the CTE `given`: the namespaces with their lists. A statement joins it with LATERAL to a query over one namespace, so
 * that Postgres uses the index for each namespace, whatever the statistics say. OFFSET 0 in that query keeps Postgres from
 * merging it into one join.
 */
export function withGiven<Params extends GivenParams>(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<Params>,
  names: readonly string[],
): QueryCreator<CheckpointDatabase & { given: GivenRow }> {
  const lists = names.map(
    (name) =>
      sql`, array(select json_array_elements_text(named.lists::json -> ${sql.lit(name)})) as ${sql.id(name)}`,
  );
  const rows = sql<GivenRow>`(
    select named.ordinal::integer as ordinal, named.thread_id, named.checkpoint_ns${sql.join(lists, sql``)}
    from unnest(
      ${parameter("threadIds")}::text[], ${parameter("checkpointNss")}::text[], ${parameter("lists")}::text[]
    ) with ordinality as named(thread_id, checkpoint_ns, lists, ordinal)
  )`;
  return db.with(
    (cte) => cte("given").materialized(),
    (qb) => qb.selectFrom(rows.as("each")).selectAll(),
  );
}

/** The given threads, as `given`. A statement joins them with LATERAL, as it does with {@link withGiven}. */
export function givenThreads(parameter: Parameter<Pick<ThreadsParams, "threadIds">>) {
  return threadsIn(sql`${parameter("threadIds")}::text[]`);
}

/**
 * {@link givenThreads} for what Postgres overestimates by far. The result of a SELECT has no length that Postgres knows, so it expects ten
 * threads, and not as many as there are, with a hundred times as many namespaces.
 */
export function fewGivenThreads(parameter: Parameter<Pick<ThreadsParams, "threadIds">>) {
  return threadsIn(sql`(select ${parameter("threadIds")}::text[])`);
}

function threadsIn(threadIds: RawBuilder<unknown>) {
  return sql<{ thread_id: string }>`unnest(${threadIds})`.as<"given">(sql`given(thread_id)`);
}

/** The thread id of the current row of `given`. */
export function givenThread(
  naming: ThreadNaming,
  parameter: Parameter<Pick<GivenParams, "threadId">>,
): RawBuilder<string> {
  return naming === "parameter" ? parameter("threadId") : sql.ref<string>("given.thread_id");
}

/** The namespace of the current row of `given`. */
export const GIVEN_NS: RawBuilder<string> = /* @__PURE__ */ sql.ref<string>("given.checkpoint_ns");

/** A list of the current row of `given`. */
export function givenList(name: string): RawBuilder<string[]> {
  return sql.ref<string[]>(`given.${name}`);
}

/** Selects from the checkpoints of the current row of `given`, as `stored`. */
export function givenCheckpoints(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("checkpoints as stored")
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", GIVEN_NS);
}

/** {@link givenCheckpoints} with the newest checkpoint first. */
export function givenNewestFirst(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return givenCheckpoints(db, threadId).orderBy(sql`stored.checkpoint_id collate "C"`, "desc");
}

/** Selects from the pending writes of the current row of `given`, as `write`. */
export function givenWrites(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", threadId)
    .where("write.checkpoint_ns", "=", GIVEN_NS);
}
