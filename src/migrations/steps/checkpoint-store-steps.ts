import { type Kysely, sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { KEY_TYPE, type MigratedTables, type MigrationStep } from "./step.js";

const SET_THREAD = `begin
  new.thread_id := case when jsonb_typeof(new.metadata -> 'thread_id') = 'string' then nullif(new.metadata ->> 'thread_id', '') end;
  return new;
end`;

/**
 * Creates the table of a checkpoint store, or adopts one of langgraphgo. Programs of Go may go on with the table: what is added is a column
 * that may be null, and indexes.
 *
 * @param table - The name of the table.
 */
export function createCheckpointStore(table: string): MigrationStep {
  const setThread = `${table}_set_thread`;
  return {
    async up(db, schema) {
      const target = sql.id(schema, table);
      const columns = await columnsOf(db, schema, table);
      const isNew = columns.length === 0;
      if (isNew) {
        await sql`create table if not exists ${target} (
          id ${KEY_TYPE} primary key,
          execution_id ${KEY_TYPE} not null,
          thread_id ${KEY_TYPE},
          node_name text not null,
          state jsonb not null,
          metadata jsonb,
          timestamp timestamptz not null,
          version integer not null)`.execute(db);
      } else if (columns.includes("thread_id")) {
        // The lock that the indexes need, before the update locks rows: a program could wait for a row while an index waits for it.
        await sql`lock table ${target} in share row exclusive mode`.execute(db);
      } else {
        // A trigger, so that what Go v0.5.0 goes on to write has its thread too: it does not know the column.
        const name = sql.id(schema, setThread);
        await sql`alter table ${target} add column thread_id ${KEY_TYPE}`.execute(db);
        await sql`create or replace function ${name}() returns trigger language plpgsql as
          ${sql.lit(SET_THREAD)}`.execute(db);
        await sql`create or replace trigger ${sql.id(setThread)} before insert or update of metadata on ${target}
          for each row execute function ${name}()`.execute(db);
      }
      if (!isNew) {
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
      await sql`drop function if exists ${sql.id(schema, setThread)}()`.execute(db);
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
