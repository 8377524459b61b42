import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { isAlive } from "../../db/expiry.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { isInScope, type ScopeParams, scopeParams } from "../../store/queries/item-scope.js";

/** What a namespace holds. */
export interface ItemSumsRow {
  readonly prefix: string;
  /** With those that have expired. */
  readonly items: number;
  readonly expired: number;
  /** The first keys, in their order, as JSON text. */
  readonly keys: string;
  /** The items of all namespaces that were asked for, also of those behind the limit. */
  readonly total: number;
}

/** Which namespaces to sum up. */
export interface SummedNamespaces {
  /** A namespace with those below it. Empty for everything. */
  readonly prefix: string;
  /** Only namespaces that have this label behind the first ones. */
  readonly label?: string;
  /** The number of these first labels. */
  readonly depth: number;
}

/** How many keys of a namespace are shown. */
const SHOWN_KEYS = 3;

/** Sums up the items of namespaces, without reading their values. By a label, it reads all rows of the prefix. */
export function sumItems(call: CallContext, asked: SummedNamespaces, limit: number): Promise<ItemSumsRow[]> {
  const { prefix, label, depth } = asked;
  const shape = { isEverything: prefix === "", byLabel: label !== undefined };
  return runStatement(call, sums.of(shape), { ...scopeParams(prefix), label: label ?? "", depth, limit });
}

interface SumsShape {
  readonly isEverything: boolean;
  readonly byLabel: boolean;
}

interface SumsParams extends ScopeParams {
  readonly label: string;
  readonly depth: number;
  readonly limit: number;
}

const sums = new StatementFamily<SumsShape, SumsParams, ItemSumsRow>(
  ({ isEverything, byLabel }) =>
    (db, parameter) =>
      db
        .selectFrom("store")
        .$if(!isEverything, (query) => query.where(isInScope("store", parameter)))
        .$if(byLabel, (query) =>
          query.where(
            sql<SqlBool>`${parameter("label")} = any ((string_to_array(store.prefix, '.'))[${parameter("depth")}::int + 1:])`,
          ),
        )
        .groupBy("store.prefix")
        .orderBy(sql`store.prefix collate "C"`)
        .limit(parameter("limit"))
        .select([
          "store.prefix",
          sql<number>`count(*)::float8`.as("items"),
          sql<number>`(count(*) filter (where not ${isAlive("store")}))::float8`.as("expired"),
          sql<string>`array_to_json((array_agg(store.key order by store.key collate "C"))[1:${sql.lit(SHOWN_KEYS)}])::text`.as(
            "keys",
          ),
          sql<number>`(sum(count(*)) over ())::float8`.as("total"),
        ]),
);
