import { type RawBuilder, sql, type SqlBool } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { hiddenFromPlanner, type ScopeParams, scopeParams } from "./item-scope.js";

/** Which namespaces to list. */
export interface NamespaceQuery {
  /** The labels that every namespace begins with, up to the first wildcard. Empty for none. */
  readonly prefix: string;
  /** Labels at positions from the beginning (1, 2, …) or from the end (-1, -2, …) that a namespace must have. */
  readonly labels: readonly LabelAt[];
  /** How many labels a namespace must have. */
  readonly minDepth: number;
  /** Longer namespaces are cut off to so many labels. */
  readonly maxDepth: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A label at a position. */
export interface LabelAt {
  readonly position: number;
  readonly label: string;
}

/** A namespace as its text. */
export interface PrefixRow {
  readonly prefix: string;
}

/**
 * Lists the namespaces that hold items, in the order of their texts, byte by byte. It jumps in the index from namespace to namespace, and
 * with `maxDepth` from one cut off namespace to the next, however many items or namespaces are below it.
 */
export function listItemNamespaces(schema: string, query: NamespaceQuery): BoundStatement<PrefixRow> {
  const { prefix, labels, minDepth, maxDepth, limit, offset } = query;
  // The namespaces of a scope have its depth at least.
  const isNarrowed = labels.length > 0 || minDepth > (prefix === "" ? 0 : prefix.split(".").length);
  const shape = { isEverything: prefix === "", isNarrowed, isCut: maxDepth !== undefined };
  return statements.of(shape).bind(schema, {
    ...scopeParams(prefix),
    positions: labels.map(({ position }) => position),
    labels: labels.map(({ label }) => label),
    minDepth,
    maxDepth: maxDepth ?? 0,
    limit,
    offset,
  });
}

interface ListParams extends ScopeParams {
  readonly positions: readonly number[];
  readonly labels: readonly string[];
  readonly minDepth: number;
  readonly maxDepth: number;
  readonly limit: number;
  readonly offset: number;
}

interface Shape {
  readonly isEverything: boolean;
  readonly isNarrowed: boolean;
  readonly isCut: boolean;
}

const statements = new StatementFamily<Shape, ListParams, PrefixRow>((shape) => (db, parameter) => {
  const inScope = shape.isEverything
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(store.prefix = ${parameter("prefix")} or (store.prefix ~>=~ ${parameter("below")} and store.prefix ~<~ ${parameter("beyond")}))`;
  /** The first namespace behind another one. */
  const next = (behind: RawBuilder<SqlBool>) =>
    db
      .selectFrom("store")
      .select("store.prefix")
      .where(inScope)
      .where(isAlive("store"))
      .where(behind)
      .orderBy(sql`store.prefix using ~<~`)
      // Not a parameter: a plan for any number of rows would seem to take longer.
      .limit(sql.lit(1));
  const begin = shape.isEverything
    ? sql<SqlBool>`true`
    : sql<SqlBool>`store.prefix ~>=~ ${parameter("prefix")}`;
  // A namespace that can't be cut off ends its own subtree. Behind one that was, the walk goes on behind everything below it.
  const behind =
    shape.isCut && !shape.isNarrowed
      ? sql<SqlBool>`store.prefix ~>=~ (case when walked.cut = walked.prefix then walked.prefix || ${SMALLEST} else walked.cut || '/' end)`
      : sql<SqlBool>`store.prefix ~>~ walked.prefix`;
  const cut = shape.isCut
    ? (prefix: RawBuilder<unknown>) =>
        sql<string>`array_to_string((string_to_array(${prefix}, '.'))[:${parameter("maxDepth")}::integer], '.')`
    : (prefix: RawBuilder<unknown>) => sql<string>`${prefix}`;
  const walked = db.withRecursive("walked(prefix, cut)", (qb) =>
    qb
      .selectFrom(next(begin).as("first"))
      .select(["first.prefix", cut(sql.ref("first.prefix")).as("cut")])
      .unionAll((eb) =>
        eb
          .selectFrom("walked")
          .innerJoinLateral(next(behind).as("following"), (join) => join.onTrue())
          .select(["following.prefix", cut(sql.ref("following.prefix")).as("cut")]),
      ),
  );
  const listed = walked
    .selectFrom("walked")
    .$if(shape.isNarrowed, (qb) => qb.where(hasLabels(parameter)))
    .select("walked.cut as prefix");
  return (shape.isCut ? listed.groupBy("walked.cut").orderBy(sql`walked.cut collate "C"`) : listed)
    .limit(hiddenFromPlanner(parameter("limit"), "bigint"))
    .offset(hiddenFromPlanner(parameter("offset"), "bigint"));
});

/** The character that no other one precedes. It follows a text, so that the next text is the first one behind it. */
const SMALLEST = sql`E'\\x01'`;

/** Whether a walked namespace has enough labels, and those of the query at their positions. */
function hasLabels(parameter: Parameter<ListParams>): RawBuilder<SqlBool> {
  const labels = sql`string_to_array(walked.prefix, '.')`;
  return sql<SqlBool>`cardinality(${labels}) >= ${parameter("minDepth")}::integer
    and not exists (
      select from unnest(${parameter("positions")}::integer[], ${parameter("labels")}::text[]) as required(position, label)
      where (${labels})[case when position > 0 then position else cardinality(${labels}) + 1 + position end]
        is distinct from label
    )`;
}
