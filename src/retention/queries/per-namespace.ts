import {
  type Compilable,
  type QueryCreator,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type Expression,
  type SqlBool,
} from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { StatementFamily, type Parameter } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { type ThreadNaming, threadGroups, type ThreadsParams } from "../../saver/queries/thread-groups.js";
import { runStatement } from "../../db/statements/run-statement.js";

/** Makes the lists of ids or channels that a statement looks up in a namespace. It reads them by `givenList` of their names. */
export type ListsOf<Key> = Readonly<Record<string, (key: Key) => readonly string[]>>;

/** What a query over the given namespaces is built from. */
interface Parts<More> {
  readonly db: QueryCreator<CheckpointDatabase>;
  /** Selects from the CTE `given`, the given namespaces. */
  readonly given: SelectQueryBuilder<CheckpointDatabase & { given: GivenRow }, "given", object>;
  /** The thread of the current row of `given`. */
  readonly threadId: RawBuilder<string>;
  readonly parameter: Parameter<GivenParams & More>;
}

/**
 * Makes a function that runs one statement for many namespaces, and returns the rows of each one, in the same order.
 *
 * @param build - Joins `given` with LATERAL to a query over one namespace, and selects `given.ordinal` with the columns of a row.
 */
export function perNamespace<Key extends NamespaceKey, Row>(
  listsOf: ListsOf<Key>,
  build: (parts: Parts<object>) => Compilable<Row & GivenOrdinal>,
): (call: CallContext, keys: readonly Key[]) => Promise<Row[][]> {
  const run = perNamespaceWith<Key, object, Row>(listsOf, build);
  return (call, keys) => run(call, keys, {});
}

/**
 * {@link perNamespace} for a statement with parameters of its own. It sends nothing for no namespaces. Where statements name their
 * thread, it sends one for each (N1).
 */
export function perNamespaceWith<Key extends NamespaceKey, More extends object, Row>(
  listsOf: ListsOf<Key>,
  build: (parts: Parts<More>) => Compilable<Row & GivenOrdinal>,
): (call: CallContext, keys: readonly Key[], more: More) => Promise<Row[][]> {
  const names = Object.keys(listsOf);
  const statements = new StatementFamily<ThreadNaming, GivenParams & More, Row & GivenOrdinal>(
    (naming) => (db, parameter) =>
      build({
        db,
        given: withGiven(db, parameter, names).selectFrom("given"),
        threadId: givenThread(naming, parameter),
        parameter,
      }),
  );
  const textOf = (key: Key): string =>
    JSON.stringify(Object.fromEntries(Object.entries(listsOf).map(([name, listOf]) => [name, listOf(key)])));
  return async (call, keys, more) => {
    const all = keys.map((key): { readonly key: Key; readonly rows: Row[] } => ({ key, rows: [] }));
    for (const { naming, threadId, items } of await threadGroups(call, all, ({ key }) => key.threadId)) {
      const found = await runStatement(call, statements.of(naming), {
        threadId,
        threadIds: items.map(({ key }) => key.threadId),
        checkpointNss: items.map(({ key }) => key.checkpointNs),
        lists: items.map(({ key }) => textOf(key)),
        ...more,
      });
      for (const row of found) items[row.ordinal - 1]?.rows.push(row);
    }
    return all.map(({ rows }) => rows);
  };
}

/** The parameters of a statement that reads many namespaces at once. */
interface GivenParams extends ThreadsParams {
  readonly checkpointNss: readonly string[];
  /** For each namespace, an object of lists as JSON text. A Postgres array of arrays needs rows of equal length. */
  readonly lists: readonly string[];
}

/** Identifies the given namespace that a result row belongs to. */
export interface GivenOrdinal {
  /** The position of the namespace in the parameters, starting at 1. */
  ordinal: number;
}

/** A row of the CTE `given`. */
interface GivenRow extends GivenOrdinal {
  thread_id: string;
  checkpoint_ns: string;
}

/**
 * Adds the CTE `given`: the namespaces with their lists. A statement joins it with LATERAL to a query over one namespace, so
 * that Postgres uses the index for each namespace, whatever the statistics say. OFFSET 0 in that query keeps Postgres from
 * merging it into one join.
 */
function withGiven<Params extends GivenParams>(
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
export const GIVEN_NS: RawBuilder<string> = sql.ref<string>("given.checkpoint_ns");

/** A list of the current row of `given`. */
export function givenList(name: string): RawBuilder<string[]> {
  return sql.ref<string[]>(`given.${name}`);
}

/** Selects from the checkpoints of the current row of `given`, as `stored`. */
export function checkpointsOfGiven(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("checkpoints as stored")
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", GIVEN_NS);
}

/** {@link checkpointsOfGiven} with the newest checkpoint first. */
export function givenNewestFirst(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return checkpointsOfGiven(db, threadId).orderBy(sql`stored.checkpoint_id collate "C"`, "desc");
}

/** Selects from the pending writes of the current row of `given`, as `write`. */
export function givenWrites(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", threadId)
    .where("write.checkpoint_ns", "=", GIVEN_NS);
}

/** Runs one bulk lookup for all items, each by its key, and maps each item to its result. */
export async function lookUpAll<Item, Key, Result>(
  call: CallContext,
  items: readonly Item[],
  lookUp: (call: CallContext, keys: readonly Key[]) => Promise<readonly Result[]>,
  keyOf: (item: Item) => Key,
): Promise<Map<Item, Result>> {
  const all = await lookUp(call, items.map(keyOf));
  const results = new Map<Item, Result>();
  for (const [at, item] of items.entries()) {
    const result = all[at];
    if (result !== undefined) results.set(item, result);
  }
  return results;
}

/**
 * Whether a text is in a list of at most a few thousand items. Postgres looks it up in a hash table. A plain `in` or `= any`
 * may become a loop over the list for each row, when statistics are missing or the plan is generic. The same happens here
 * when Postgres estimates that the list does not fit in its memory.
 *
 * To find rows by an index, use `= any` instead.
 */
export function isInList(
  text: Expression<string | null>,
  list: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${text} in (select unnest(${list}::text[]))) is true`;
}

/** The negation of {@link isInList}. `null` is in no list. */
export function isNotInList(
  text: Expression<string | null>,
  list: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${text} in (select unnest(${list}::text[]))) is not true`;
}
