import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";

/** The parameters of a statement that looks at many namespaces at once. */
export interface GivenParams {
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
  /** For each namespace an object of lists as JSON text: arrays of Postgres have all rows of one length. */
  readonly lists: readonly string[];
}

/** A namespace, and by name the lists of what is looked up there. */
export interface GivenNamespace<Name extends string = never> {
  readonly key: NamespaceKey;
  readonly lists?: Readonly<Record<Name, readonly string[]>>;
}

/** What a row of such a statement tells its namespace by. */
export interface OfNamespace {
  /** Which of the given namespaces it is of: 1 for the first. */
  n: number;
}

export function givenParams(namespaces: readonly GivenNamespace<string>[]): GivenParams {
  return {
    threadIds: namespaces.map(({ key }) => key.threadId),
    checkpointNss: namespaces.map(({ key }) => key.checkpointNs),
    lists: namespaces.map(({ lists = {} }) => JSON.stringify(lists)),
  };
}

/** The rows of each given namespace. */
export function byNamespace<Row extends OfNamespace>(
  namespaces: readonly unknown[],
  rows: readonly Row[],
): Row[][] {
  const each = namespaces.map((): Row[] => []);
  for (const row of rows) each[row.n - 1]?.push(row);
  return each;
}

type GivenRow<Name extends string> = OfNamespace & { thread_id: string; checkpoint_ns: string } & Record<
    Name,
    string[]
  >;

/**
 * The CTE `given`: the namespaces with their lists. A statement joins it with LATERAL to a query over one namespace, so that
 * each is looked up by the index, whatever the statistics say; OFFSET 0 there keeps Postgres from making one join of both.
 */
export function withGiven<Params extends GivenParams, Name extends string = never>(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<Params>,
  names: readonly Name[] = [],
): QueryCreator<CheckpointDatabase & { given: GivenRow<Name> }> {
  const lists = names.map(
    (name) =>
      sql`, array(select json_array_elements_text(named.lists::json -> ${sql.lit(name)})) as ${sql.id(name)}`,
  );
  const rows = sql<GivenRow<Name>>`(
    select named.n::integer as n, named.thread_id, named.checkpoint_ns${sql.join(lists, sql``)}
    from unnest(
      ${parameter("threadIds")}::text[], ${parameter("checkpointNss")}::text[], ${parameter("lists")}::text[]
    ) with ordinality as named(thread_id, checkpoint_ns, lists, n)
  )`;
  return db.with(
    (cte) => cte("given").materialized(),
    (qb) => qb.selectFrom(rows.as("each")).selectAll(),
  );
}

/** The thread of the namespace that is looked at. */
export const GIVEN_THREAD: RawBuilder<string> = /* @__PURE__ */ sql.ref<string>("given.thread_id");

/** Its namespace. */
export const GIVEN_NS: RawBuilder<string> = /* @__PURE__ */ sql.ref<string>("given.checkpoint_ns");

/** One of its lists. */
export function givenList(name: string): RawBuilder<string[]> {
  return sql.ref<string[]>(`given.${name}`);
}
