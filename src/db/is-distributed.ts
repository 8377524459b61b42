import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "./call-context.js";
import type { OpenedDatabase } from "./opened-database.js";
import { runStatement } from "./statements/run-statement.js";
import { Statement } from "./statements/statement.js";

/**
 * What is known of each database, by schema. It holds answers and no promises: a call inside a transaction may have the only
 * connection, and must not wait for a query of another call.
 */
const KNOWN = /* @__PURE__ */ new WeakMap<object, Map<string, boolean>>();

/**
 * Whether Citus keeps the rows of the savers' tables on its nodes, by thread or as a whole schema on one node, so that a statement must
 * take the form for several servers. A schema on one node needs it as well: Citus writes a statement again before it sends it there, and
 * finds no system columns in subqueries. It is false on Postgres, on PGlite, and for local tables of a coordinator.
 *
 * Only a call whose statement has two forms asks. The first one sends a query of the catalog. On a server with Citus whose tables are
 * local, every call asks again, since `migrate --distribute` may run at any moment.
 */
export async function isDistributed(call: CallContext): Promise<boolean> {
  const { database, schema } = call;
  const remembered = KNOWN.get(ownerOf(database))?.get(schema);
  if (remembered !== undefined) return remembered;
  if ((await runStatement(call, citusCatalog, {})).length === 0) {
    remember(call, false);
    return false;
  }
  const [table] = await runStatement(call, distribution, { schema });
  if (table === undefined) return false;
  remember(call, table.is_on_nodes);
  return table.is_on_nodes;
}

/** Remembers that {@link hasCitus} was false, so that {@link isDistributed} need not ask. */
export function rememberOneServer(call: CallContext): void {
  remember(call, false);
}

function remember({ database, schema }: CallContext, isOnNodes: boolean): void {
  const owner = ownerOf(database);
  const known = KNOWN.get(owner) ?? new Map<string, boolean>();
  KNOWN.set(owner, known);
  known.set(schema, isOnNodes);
}

/** An expression for whether the server has Citus. */
export function hasCitus(): RawBuilder<boolean> {
  return sql<boolean>`to_regclass('pg_catalog.pg_dist_partition') is not null`;
}

/** Savers on the same pool share the answer, and so do those on the transactions of a Kysely, which share its adapter. */
export function ownerOf({ source }: OpenedDatabase): object {
  return "getExecutor" in source ? source.getExecutor().adapter : source;
}

/** A row where the server has Citus. Elsewhere there is none, since rows count as those of the call that asks. */
const citusCatalog = /* @__PURE__ */ new Statement<object, unknown>((db) =>
  db.selectNoFrom(sql.lit(1).as("citus")).where(hasCitus()),
);

/** A row where Citus manages the table `checkpoints`. Joins find it without the right to use the schema, unlike `to_regclass`. */
const distribution = /* @__PURE__ */ new Statement<{ readonly schema: string }, { is_on_nodes: boolean }>(
  (db, parameter) =>
    db
      .selectFrom(
        sql<{
          logicalrelid: number;
          partmethod: string;
          colocationid: number;
        }>`pg_catalog.pg_dist_partition`.as<"distributed">(sql`distributed`),
      )
      .innerJoin(
        sql<{ oid: number; relname: string; relnamespace: number }>`pg_catalog.pg_class`.as<"relation">(
          sql`relation`,
        ),
        "relation.oid",
        "distributed.logicalrelid",
      )
      .innerJoin(
        sql<{ oid: number; nspname: string }>`pg_catalog.pg_namespace`.as<"namespace">(sql`namespace`),
        "namespace.oid",
        "relation.relnamespace",
      )
      .where("namespace.nspname", "=", parameter("schema"))
      .where("relation.relname", "=", sql.lit("checkpoints"))
      .select(
        sql<boolean>`(distributed.partmethod = 'h' or distributed.colocationid <> 0)`.as("is_on_nodes"),
      ),
);
