import { sql } from "kysely";
import { commandsWithoutPolicy } from "../db/call-context.js";
import { readList, selectedList } from "../db/selected-list.js";
import { type DoctoredDatabase, RECORD_TABLES, ROW_TABLE_NAMES } from "./catalog.js";

/** The privileges on tables that savers need. */
export const RIGHTS = ["select", "insert", "update", "delete"] as const;
export type Right = (typeof RIGHTS)[number];

/** A table, and the privileges of the role on it. */
export interface Relation {
  readonly oid: number;
  readonly name: string;
  readonly rights: readonly Right[];
  /** Whether row-level security is enabled. */
  readonly hasRowSecurity: boolean;
  /** Whether row-level security applies to this role. */
  readonly isRowSecurityActive: boolean;
  /** For what of its {@link rights} row-level security has no policy, so that they are worth nothing. */
  readonly withoutPolicy: readonly Right[];
}

/** The state of the schema. */
export interface SchemaState {
  readonly name: string;
  readonly exists: boolean;
  /** Whether the role has the usage privilege. */
  readonly usable: boolean;
  readonly role: string;
  readonly tables: ReadonlyMap<string, Relation>;
}

const NAMES: readonly string[] = [...ROW_TABLE_NAMES, ...RECORD_TABLES];

/** Reads which tables exist. It only queries the catalog, which needs no privileges. */
export async function readSchema(db: DoctoredDatabase, schema: string): Promise<SchemaState> {
  const found = await db
    .selectNoFrom((eb) => [
      sql<string>`current_user::text`.as("role"),
      eb
        .selectFrom("pg_catalog.pg_namespace as namespace")
        .where("namespace.nspname", "=", schema)
        .select(sql<boolean>`has_schema_privilege(namespace.oid, 'usage')`.as("usable"))
        .as("usable"),
    ])
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom("pg_catalog.pg_class as relation")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "relation.relnamespace")
    .select(["relation.oid", "relation.relname as name", "relation.relrowsecurity as hasRowSecurity"])
    .select(sql<boolean>`row_security_active(relation.oid)`.as("isRowSecurityActive"))
    .select(selectedList(commandsWithoutPolicy(sql.ref<number>("relation.oid"))).as("withoutPolicy"))
    .select(
      RIGHTS.map((right) =>
        sql<boolean>`has_table_privilege(relation.oid, ${sql.lit(right)}::text)`.as(right),
      ),
    )
    .where("namespace.nspname", "=", schema)
    .where("relation.relname", "in", NAMES)
    .where("relation.relkind", "in", ["r", "p"])
    .execute();
  const tables = rows.map((row) => {
    const rights = RIGHTS.filter((right) => row[right]);
    const lacking = readList(row.withoutPolicy);
    return { ...row, rights, withoutPolicy: rights.filter((right) => lacking.includes(right)) };
  });
  return {
    name: schema,
    exists: found.usable !== null,
    usable: found.usable ?? false,
    role: found.role,
    tables: new Map(tables.map((table) => [table.name, table])),
  };
}
