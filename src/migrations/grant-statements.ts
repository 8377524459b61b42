import { createQueryId, PostgresQueryCompiler, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";

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

type Table = keyof CheckpointDatabase;

/** How a saver uses each table. Only migrations use the lock table. */
const TABLE_USE: Readonly<Record<Table, "rows" | "record" | "none">> = {
  checkpoints: "rows",
  checkpoint_blobs: "rows",
  checkpoint_writes: "rows",
  checkpoint_tombstones: "rows",
  checkpoint_migrations: "record",
  checkpoint_kysely_migration: "record",
  checkpoint_kysely_migration_lock: "none",
};

const ROWS = tablesUsedFor("rows");
const RECORDS = tablesUsedFor("record");

/**
 * Builds the SQL that grants two roles exactly the privileges that a saver needs on migrated tables: to read and write rows, or
 * only to read them, and to read which migrations have run. Neither role may create, alter or drop tables.
 *
 * All names become quoted identifiers. The caller must refuse the role names "public" and "none", which have another meaning
 * in GRANT even if they are quoted.
 *
 * @param schema - The schema that holds the tables.
 * @param roles - The names of the two roles. The statements don't create them.
 *
 * @example
 * ```ts
 * const { readWrite } = grantStatements("agents", { readWrite: "agent_service", readOnly: "support" });
 * console.log(readWrite[0]); // grant usage on schema "agents" to "agent_service"
 * ```
 */
export function grantStatements(schema: string, { readWrite, readOnly }: GrantedRoles): GrantStatements {
  return {
    readWrite: [
      useOf(schema, readWrite),
      compile(sql`grant select, insert, update, delete on ${tables(schema, ROWS)} to ${sql.id(readWrite)}`),
      compile(sql`grant select on ${tables(schema, RECORDS)} to ${sql.id(readWrite)}`),
    ],
    readOnly: [
      useOf(schema, readOnly),
      compile(sql`grant select on ${tables(schema, [...ROWS, ...RECORDS])} to ${sql.id(readOnly)}`),
    ],
  };
}

function useOf(schema: string, role: string): string {
  return compile(sql`grant usage on schema ${sql.id(schema)} to ${sql.id(role)}`);
}

function tables(schema: string, names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.id(schema, name)));
}

function tablesUsedFor(use: "rows" | "record"): readonly string[] {
  return Object.entries(TABLE_USE).flatMap(([name, usedFor]) => (usedFor === use ? [name] : []));
}

function compile(statement: RawBuilder<unknown>): string {
  return new PostgresQueryCompiler().compileQuery(statement.toOperationNode(), createQueryId()).sql;
}
