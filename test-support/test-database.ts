import type { PGlite } from "@electric-sql/pglite";
import type { Kysely } from "kysely";

/** What a saver is opened on: a connection string, or a Postgres in the process. */
export type DatabaseSource = string | PGlite;

/** An empty database of one test. It is closed and dropped when the test ends. */
export interface TestDatabase<Source extends DatabaseSource = DatabaseSource> {
  /** What the saver gets. */
  readonly source: Source;
  /**
   * A Kysely of the test's own on the database, to look at rows without the saver. On PGlite all of its queries share
   * one connection, so a query beside an open transaction runs inside that transaction.
   */
  kysely<DB>(): Kysely<DB>;
  /** Runs one statement and returns its rows. */
  query<Row extends Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** Runs any number of statements, separated by semicolons. */
  exec(sql: string): Promise<void>;
  /** Drops everything in the database, which is much cheaper than another database. */
  reset(): Promise<void>;
  /** Closes and drops the database. The harness does so too, if a test does not. */
  drop(): Promise<void>;
}

/** Creates databases. */
export interface Databases<Source extends DatabaseSource> {
  readonly createDatabase: () => Promise<TestDatabase<Source>>;
  /**
   * Creates a database that is migrated, where that takes no longer than an empty one.
   *
   * @param migrate - Migrates an empty database, if no other is migrated yet.
   */
  readonly migratedDatabase?: (migrate: Migrate) => Promise<TestDatabase<Source>>;
}

/** Creates the tables of savers in an empty database. */
export type Migrate = (source: DatabaseSource) => Promise<void>;

/** Restores the database to its initial state: no schema but an empty `public`. */
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
