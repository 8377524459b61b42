import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** A column that the role may read. */
interface ReadableColumnRow {
  readonly table: string;
  readonly column: string;
  /** Whether row-level security applies to the role. */
  readonly is_secured: boolean;
}

interface TableParams {
  readonly schema: string;
  readonly tables: readonly string[];
}

/** Lists the columns of tables that the role may read. It reads only the catalog. */
export function readableColumns(call: CallContext, tables: readonly string[]): Promise<ReadableColumnRow[]> {
  // The tables that this asks for may have no row-level security. The page waits for the answer, so it is not retried.
  const policy = { ...call.policy, rowSecurity: undefined, retry: false as const };
  return runStatement({ ...call, policy }, columns, { schema: call.schema, tables });
}

const columns = new Statement<TableParams, ReadableColumnRow>((db, parameter) =>
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
    .innerJoin(
      sql<{ attrelid: number; attname: string; attnum: number }>`pg_catalog.pg_attribute`.as<"attribute">(
        sql`attribute`,
      ),
      "attribute.attrelid",
      "relation.oid",
    )
    .select([
      sql<string>`relation.relname::text`.as("table"),
      sql<string>`attribute.attname::text`.as("column"),
      sql<boolean>`row_security_active(relation.oid)`.as("is_secured"),
    ])
    .where("namespace.nspname", "=", parameter("schema"))
    .where(sql<boolean>`relation.relname = any (${parameter("tables")}::text[])`)
    .where("attribute.attnum", ">", sql.lit(0))
    .where(sql<boolean>`has_schema_privilege(namespace.oid, 'usage')`)
    .where(sql<boolean>`has_column_privilege(relation.oid, attribute.attnum, 'select')`),
);
