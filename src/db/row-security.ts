import { sql } from "kysely";
import { RowSecurityError } from "../errors/index.js";
import type { CallContext } from "./call-context.js";
import type { OpenedDatabase } from "./opened-database.js";
import { Statement } from "./statements/statement.js";

/** The tables of the savers that hold rows of tenants. */
export const TENANT_TABLES: readonly string[] = [
  "checkpoints",
  "checkpoint_blobs",
  "checkpoint_writes",
  "checkpoint_tombstones",
];

/**
 * Checks once for each saver, store or cache, and each of its databases, that it separates tenants. It does not for a superuser, for the owner
 * of the tables, or without policies: every tenant would see all rows.
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
    const statement = activeTables.bind(schema, { schema, tables: this.#tables });
    const rows = await database.execute(statement, { signal, statementTimeoutMs: policy.statementTimeoutMs });
    const open = rows.flatMap(({ name, is_active }) => (is_active ? [] : [name]));
    if (open.length > 0) throw new RowSecurityError(schema, open);
    // The statement that needs a missing table reports it.
    if (rows.length === this.#tables.length) this.#passed.add(database);
  }
}

interface TableRow {
  readonly name: string;
  readonly is_active: boolean;
}

const activeTables = /* @__PURE__ */ new Statement<
  { readonly schema: string; readonly tables: readonly string[] },
  TableRow
>((db, parameter) =>
  db
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
    .select("relation.relname as name")
    .select(sql<boolean>`row_security_active(relation.oid)`.as("is_active"))
    .where("namespace.nspname", "=", parameter("schema"))
    .where(sql<boolean>`relation.relname = any (${parameter("tables")}::text[])`),
);
