import { sql } from "kysely";
import { KEY_TYPE, type MigrationStep } from "./step.js";

/**
 * Creates the table of cached results.
 *
 * @param unlogged - Whether the table is left out of the write-ahead log: many times faster, empty after a crash, and not on replicas.
 */
export function createCache(unlogged: boolean): MigrationStep {
  return {
    async up(db, schema) {
      const table = sql.id(schema, "cache_entries");
      const create = unlogged ? sql`create unlogged table` : sql`create table`;
      await sql`${create} if not exists ${table} (
        namespace ${KEY_TYPE} not null,
        key ${KEY_TYPE} not null,
        type text not null,
        value bytea not null,
        size integer not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        primary key (namespace, key))`.execute(db);
      await sql`create index if not exists cache_entries_expires_at_idx on ${table} (expires_at)
        where expires_at is not null`.execute(db);
      await sql`create index if not exists cache_entries_created_at_idx on ${table} (created_at)`.execute(db);
    },

    // What is cached can be computed again.
    async down(db) {
      await db.schema.dropTable("cache_entries").execute();
    },
  };
}
