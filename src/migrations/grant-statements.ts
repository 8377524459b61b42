import { textOfStatement } from "./catalog-expressions.js";
import { type RawBuilder, sql } from "kysely";
import { CHECKPOINT_STORE_TABLE, isNameOfSavers, recordOfCheckpointTable } from "./checkpoint-table.js";
import { type OptionalTables, withRequired, TABLE_USE, type TableUse } from "./migration-set.js";

/** The names of the roles that get the privileges. */
export interface GrantedRoles {
  /** The role of services that run graphs. */
  readonly readWrite: string;
  /** The role of people and programs that only read threads. */
  readonly readOnly: string;
}

/** The statements that grant each role its privileges, in order, without final semicolons. */
export interface GrantStatements {
  readonly readWrite: readonly string[];
  readonly readOnly: readonly string[];
}

/**
 * Builds the SQL that grants two roles exactly the privileges that a saver needs on migrated tables: to read and write rows, or
 * only to read them, and to read which migrations have run. With optional tables also those of a store or a cache. Neither role may create, alter or drop tables.
 *
 * All names become quoted identifiers. The caller must refuse the role names "public" and "none", which have another meaning
 * in GRANT even if they are quoted.
 *
 * @param schema - The schema that holds the tables.
 * @param roles - The names of the two roles. The statements don't create them.
 * @param optional - The optional tables that exist. Default: none.
 * @param checkpointTable - The table of the checkpoint store, where it has another name than `checkpoint_store`.
 *
 * @example
 * ```ts
 * const { readWrite } = grantStatements("agents", { readWrite: "agent_service", readOnly: "support" });
 * console.log(readWrite[0]); // grant usage on schema "agents" to "agent_service"
 * ```
 */
export function grantStatements(
  schema: string,
  { readWrite, readOnly }: GrantedRoles,
  optional: readonly OptionalTables[] = [],
  checkpointTable = CHECKPOINT_STORE_TABLE,
): GrantStatements {
  const existing = withRequired(optional);
  const rows = tablesUsedFor("rows", existing, checkpointTable);
  const records = tablesUsedFor("record", existing, checkpointTable);
  return {
    readWrite: [
      useOf(schema, readWrite),
      textOfStatement(
        sql`grant select, insert, update, delete on ${tables(schema, rows)} to ${sql.id(readWrite)}`,
      ),
      textOfStatement(sql`grant select on ${tables(schema, records)} to ${sql.id(readWrite)}`),
    ],
    readOnly: [
      useOf(schema, readOnly),
      textOfStatement(sql`grant select on ${tables(schema, [...rows, ...records])} to ${sql.id(readOnly)}`),
    ],
  };
}

function useOf(schema: string, role: string): string {
  return textOfStatement(sql`grant usage on schema ${sql.id(schema)} to ${sql.id(role)}`);
}

function tables(schema: string, names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.id(schema, name)));
}

function tablesUsedFor(
  use: TableUse,
  optional: readonly OptionalTables[],
  checkpointTable: string,
): readonly string[] {
  const renamed: Readonly<Record<string, string>> = {
    checkpoint_store: checkpointTable,
    checkpoint_store_kysely_migration: recordOfCheckpointTable(checkpointTable),
  };
  const hasSaver = !optional.includes("checkpoint-store") || !isNameOfSavers(checkpointTable);
  return Object.entries(TABLE_USE).flatMap(([name, [usedFor, tables]]) => {
    const exists = tables === undefined ? hasSaver : optional.includes(tables);
    return usedFor === use && exists ? [renamed[name] ?? name] : [];
  });
}
