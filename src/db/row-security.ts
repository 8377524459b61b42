import { type QueryCreator, sql } from "kysely";
import { PermissionError, RowSecurityError } from "../errors/index.js";
import { type CallContext, commandsWithoutPolicy, describeWithoutPolicy } from "./call-context.js";
import type { LibraryDatabase } from "./checkpoint-database.js";
import type { OpenedDatabase } from "./opened-database.js";
import { MAY_HAVE_SHARDS } from "./placement/shard-statistics.js";
import { type Parameter, Statement } from "./statements/statement.js";
import { CONVERSATION_TABLE } from "./tenant.js";

/**
 * Checks once for each saver, store or cache, and each of its databases, that it separates tenants. It does not for a superuser, for the owner
 * of the tables, or without policies: every tenant would see all rows. Nor does it where other servers, the
 * nodes, keep the rows, since they do not get the setting with the tenant: no tenant would see a row.
 *
 * @throws RowSecurityError when it does not.
 */
export class RowSecurityCheck {
  readonly #tables: readonly string[];
  readonly #passed = new WeakSet<OpenedDatabase>();

  /** @param tables - The tables that hold rows of tenants. */
  constructor(tables: readonly string[]) {
    this.#tables = tables;
  }

  async run(call: CallContext): Promise<void> {
    const { database, schema, policy, signal } = call;
    if (this.#passed.has(database)) return;
    const params = { schema, tables: this.#tables };
    const options = { signal, statementTimeoutMs: policy.statementTimeoutMs };
    const rows = await database.execute(activeTables.bind(schema, params), options);
    if (rows[0]?.may_have_shards === true) {
      const onNodes = await database.execute(tablesOnNodes.bind(schema, params), options);
      if (onNodes.length > 0) {
        const names = onNodes.map(({ name }) => name);
        throw new RowSecurityError(schema, names, { isOnNodes: true });
      }
    }
    const open = rows.flatMap(({ name, is_active }) => (is_active ? [] : [name]));
    if (open.length > 0) throw new RowSecurityError(schema, open);
    const hidden = withoutPolicyIn(rows);
    if (hidden.length > 0) throw new PermissionError(describeWithoutPolicy(hidden));
    // The statement that needs a missing table reports it.
    const found = [CONVERSATION_TABLE, ...rows.map(({ name }) => name)];
    if (this.#tables.every((name) => found.includes(name))) this.#passed.add(database);
  }
}

interface TableRow {
  readonly name: string;
  readonly is_active: boolean;
  /** Whether the policies show no row to the role. */
  readonly without_policy: boolean;
  readonly may_have_shards: boolean;
}

/** Tables of a schema. */
export interface TableParams {
  readonly schema: string;
  readonly tables: readonly string[];
}

const isWithoutPolicy = sql<boolean>`'select' = any (${commandsWithoutPolicy(sql.ref<number>("relation.oid"))})`;

/** Lists the tables whose policies show no row to the role. */
export async function tablesWithoutPolicy(
  { database, schema, policy, signal }: CallContext,
  tables: readonly string[],
): Promise<string[]> {
  const options = { signal, statementTimeoutMs: policy.statementTimeoutMs };
  const rows = await database.execute(activeTables.bind(schema, { schema, tables }), options);
  return withoutPolicyIn(rows);
}

function withoutPolicyIn(rows: readonly TableRow[]): string[] {
  return rows.flatMap(({ name, without_policy }) => (without_policy ? [name] : []));
}

const activeTables = new Statement<TableParams, TableRow>((db, parameter) =>
  relationsOf(db, parameter)
    .select("relation.relname as name")
    .select(sql<boolean>`row_security_active(relation.oid)`.as("is_active"))
    .select(isWithoutPolicy.as("without_policy"))
    .select(MAY_HAVE_SHARDS.as("may_have_shards")),
);

/** The tables whose rows are on nodes. */
const tablesOnNodes = new Statement<TableParams, Pick<TableRow, "name">>((db, parameter) =>
  relationsOf(db, parameter)
    .innerJoin(
      sql<{
        logicalrelid: number;
        partmethod: string;
        colocationid: number;
      }>`pg_catalog.pg_dist_partition`.as<"part">(sql`part`),
      "part.logicalrelid",
      "relation.oid",
    )
    // Otherwise the table is on this server.
    .where(sql<boolean>`(part.partmethod = 'h' or part.colocationid <> 0)`)
    .select("relation.relname as name")
    .orderBy("relation.relname"),
);

/** Selects from the tables of a schema, as `relation`. Joins find them without the right to use the schema, unlike `to_regclass`. */
export function relationsOf(db: QueryCreator<LibraryDatabase>, parameter: Parameter<TableParams>) {
  return db
    .selectFrom(
      sql<{ oid: number; relname: string; relnamespace: number }>`pg_catalog.pg_class`.as<"relation">(
        sql`relation`,
      ),
    )
    .innerJoin(
      sql<{ oid: number; nspname: string }>`pg_catalog.pg_namespace`.as<"namespace">(sql`namespace`),
      "namespace.oid",
      "relation.relnamespace",
    )
    .where("namespace.nspname", "=", parameter("schema"))
    .where(sql<boolean>`relation.relname = any (${parameter("tables")}::text[])`);
}
