import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../call-context.js";
import { runStatement } from "../statements/run-statement.js";
import { Statement } from "../statements/statement.js";
import type { OpenedDatabase } from "../opened-database.js";

/** Where the rows of the savers' tables are, which the form of some statements depends on. */
export interface Placement {
  /**
   * Whether other servers, the nodes, keep the rows. A statement then goes through this server to the node of its thread. So it is about
   * one thread, and compares the thread of each table with its parameter (N1), has no system columns in subqueries (N2), and looks up no
   * rows for each row of several threads (N4). `docs/internals/statements.md` has the rules.
   */
  readonly isOnNodes: boolean;
}

const ON_NODES: Placement = { isOnNodes: true };

/** The placement on Postgres, on PGlite, and of local tables of a coordinator of Citus. */
export const ON_ONE_SERVER: Placement = { isOnNodes: false };

/**
 * Remembers an answer for each schema of each database. Savers on the same pool share it. It holds answers and no promises: a call inside
 * a transaction may have the only connection, and must not wait for a query of another call.
 */
export class RememberedBySchema<Answer extends object> {
  readonly #known = new WeakMap<object, Map<string, Answer>>();

  get({ database, schema }: CallContext): Answer | undefined {
    return this.#known.get(ownerOf(database))?.get(schema);
  }

  /** Remembers an answer, and returns it. */
  set({ database, schema }: CallContext, answer: Answer): Answer {
    const owner = ownerOf(database);
    const known = this.#known.get(owner) ?? new Map<string, Answer>();
    this.#known.set(owner, known);
    known.set(schema, answer);
    return answer;
  }
}

/** The savers on the transactions of a Kysely share its adapter. */
function ownerOf({ source }: OpenedDatabase): object {
  return "getExecutor" in source ? source.getExecutor().adapter : source;
}

const KNOWN = new RememberedBySchema<Placement>();

/**
 * Returns where the rows of the savers' tables are. They are on nodes where Citus distributes the tables by thread, and where it keeps the
 * whole schema on one node: Citus writes a statement again before it sends it there, too.
 *
 * Only a call whose statement has two forms asks. Where no connection has told that there is no Citus, it sends a query of the catalog. On a server with Citus whose tables are
 * local, every call asks again, since `migrate --distribute` may run at any moment.
 */
export function placementOf(call: CallContext): Placement | Promise<Placement> {
  return KNOWN.get(call) ?? findPlacement(call);
}

/**
 * Runs a read whose statement has two forms. The first answer on a connection tells whether there is Citus, so nobody asks before: the
 * first read has the form for one server. Where there is Citus it is done again.
 *
 * @param read - Sends the statement. What it returns or throws for the wrong form is ignored.
 */
export async function readWherePlaced<T>(
  call: CallContext,
  read: (placement: Placement) => Promise<T>,
): Promise<T> {
  const hasCitus = (): boolean | undefined => call.database.hasCitus?.();
  if (KNOWN.get(call) === undefined && call.database.hasCitus !== undefined && hasCitus() === undefined) {
    try {
      const result = await read(ON_ONE_SERVER);
      if (hasCitus() === false) return result;
    } catch (error) {
      if (hasCitus() !== true) throw error;
    }
  }
  return read(await placementOf(call));
}

async function findPlacement(call: CallContext): Promise<Placement> {
  if (call.database.hasCitus?.() === false) return KNOWN.set(call, ON_ONE_SERVER);
  if ((await runStatement(call, citusCatalog, {})).length === 0) return KNOWN.set(call, ON_ONE_SERVER);
  const [table] = await runStatement(call, distribution, { schema: call.schema });
  if (table === undefined) return ON_ONE_SERVER;
  return KNOWN.set(call, table.is_on_nodes ? ON_NODES : ON_ONE_SERVER);
}

/** Tells whether the placement is on nodes, for users, who know it as distributed tables. */
export async function isDistributed(call: CallContext): Promise<boolean> {
  return (await placementOf(call)).isOnNodes;
}

/** Remembers that {@link hasNodes} was false, so that {@link placementOf} need not ask. */
export function rememberOneServer(call: CallContext): void {
  KNOWN.set(call, ON_ONE_SERVER);
}

/** An expression for whether the server may keep rows on nodes: it has Citus. */
export function hasNodes(): RawBuilder<boolean> {
  return sql<boolean>`to_regclass('pg_catalog.pg_dist_partition') is not null`;
}

/** A row where the server has Citus. Elsewhere there is none, since rows count as those of the call that asks. */
const citusCatalog = new Statement<object, unknown>((db) =>
  db.selectNoFrom(sql.lit(1).as("citus")).where(hasNodes()),
);

/** A row where Citus manages the table `checkpoints`. Joins find it without the right to use the schema, unlike `to_regclass`. */
const distribution = new Statement<{ readonly schema: string }, { is_on_nodes: boolean }>((db, parameter) =>
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
    .select(sql<boolean>`(distributed.partmethod = 'h' or distributed.colocationid <> 0)`.as("is_on_nodes")),
);
