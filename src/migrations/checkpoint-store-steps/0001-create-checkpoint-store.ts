import { type Kysely, sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { KEY_COLLATION, type MigratedTables, type MigrationStep } from "../steps/step.js";

const key = sql`text collate ${sql.ref(KEY_COLLATION)}`;

/**
 * Creates the table of a checkpoint store, or adopts one of langgraphgo, whose first version had no `thread_id`. Programs of Go may go on
 * with the table: what is added is a column that may be null, and indexes.
 *
 * @param table - The name of the table.
 */
export function createCheckpointStore(table: string): MigrationStep {
  return {
    async up(db, schema) {
      const target = sql.id(schema, table);
      const columns = await columnsOf(db, schema, table);
      if (columns.length === 0) {
        await sql`create table if not exists ${target} (
          id ${key} primary key,
          execution_id ${key} not null,
          thread_id ${key},
          node_name text not null,
          state jsonb not null,
          metadata jsonb,
          timestamp timestamptz not null,
          version integer not null)`.execute(db);
      } else {
        // First the lock of the strongest statement below, since a program that writes meanwhile could wait for a row of the update while
        // the index waits for that program. Only a missing column blocks readers too.
        await (
          columns.includes("thread_id")
            ? sql`lock table ${target} in share row exclusive mode`
            : sql`alter table ${target} add column thread_id ${key}`
        ).execute(db);
        await sql`update ${target} set thread_id = metadata ->> 'thread_id'
          where thread_id is null and jsonb_typeof(metadata -> 'thread_id') = 'string'
            and metadata ->> 'thread_id' <> ''`.execute(db);
      }
      await sql`create index if not exists ${sql.id(`${table}_execution_idx`)} on ${target}
        (execution_id, timestamp)`.execute(db);
      await sql`create index if not exists ${sql.id(`${table}_thread_idx`)} on ${target}
        (thread_id, timestamp) where thread_id is not null`.execute(db);
    },

    async down(db, schema) {
      const target = sql.id(schema, table);
      const { rows } = await sql<{ id: string }>`select id from ${target} limit 1`.execute(db);
      if (rows.length > 0) throw new MigrationError(`table "${table}" holds checkpoints`);
      await sql`drop table ${target}`.execute(db);
    },
  };
}

/** Returns the columns of a table, none where there is no such table. By the builder, since a plan sends only its queries. */
async function columnsOf(db: Kysely<MigratedTables>, schema: string, table: string): Promise<string[]> {
  const columns = await db
    .selectFrom("pg_catalog.pg_attribute as column")
    .innerJoin("pg_catalog.pg_class as table", "table.oid", "column.attrelid")
    .innerJoin("pg_catalog.pg_namespace as schema", "schema.oid", "table.relnamespace")
    .select("column.attname as name")
    .where("schema.nspname", "=", schema)
    .where("table.relname", "=", table)
    .where("column.attnum", ">", 0)
    .where("column.attisdropped", "=", false)
    .execute();
  return columns.map(({ name }) => name);
}
