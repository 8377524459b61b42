import type { PGlite } from "@electric-sql/pglite";
import type { Kysely } from "kysely";

/** What a saver is opened on: a connection string, or an instance of Postgres in the process. */
export type DatabaseSource = string | PGlite;

/** A fresh, empty database of one test, closed and dropped when the test ends. */
export interface TestDatabase<Source extends DatabaseSource = DatabaseSource> {
  /** What is handed to the saver. */
  readonly source: Source;
  /**
   * A Kysely of the test's own on the database, for looking behind the saver's back. On PGlite all of its queries share
   * one connection: one that is sent beside an open transaction runs inside that transaction.
   */
  kysely<DB>(): Kysely<DB>;
  /** Runs one statement and returns its rows. */
  query<Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Runs any number of statements, apart by semicolons. */
  exec(sql: string): Promise<void>;
  /** Drops everything in the database; much cheaper than another database. */
  reset(): Promise<void>;
  /** Closes and drops the database. Done by the harness too, for what a test leaves. */
  drop(): Promise<void>;
}

/** Leaves the database as it was created: no schema but an empty `public`. */
export const RESET = `
do $$
declare name text;
begin
  for name in
    select nspname from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'
  loop
    execute format('drop schema %I cascade', name);
  end loop;
  create schema public;
end
$$`;
