import { type Kysely, sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { KEY_TYPE, type MigratedTables, type MigrationStep } from "./step.js";

const TABLE = "checkpoint_conversations";
const TOUCH = "checkpoint_conversation_touch";
const TOUCH_RECORD = `begin
  if current_setting('transaction_isolation') <> 'read committed' then return null; end if;
  perform from checkpoint_conversations
    where thread_id = new.thread_id and updated_at < clock_timestamp() - interval '1 second'
    for no key update skip locked;
  if found then update checkpoint_conversations set updated_at = clock_timestamp() where thread_id = new.thread_id; end if;
  return null;
end`;

/**
 * Creates the table of conversations, and the trigger by which their `updated_at` follows the checkpoints of the root graph, whichever
 * program stores them.
 *
 * The trigger writes at most once a second for each thread, and never waits: where another transaction has locked the record, it leaves it
 * alone. It runs with the rights of the owner, since roles that store checkpoints may have been granted their privileges before the table
 * existed. In a transaction with a snapshot it does nothing, since the update could fail there.
 */
export const createConversations: MigrationStep = {
  async up(db, schema) {
    const table = sql.id(schema, TABLE);
    const touch = sql.id(schema, TOUCH);
    // Times have milliseconds, as a Date has: a page continues after the time of its last conversation.
    await sql`create table if not exists ${table} (
      thread_id ${KEY_TYPE} not null primary key,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      metadata jsonb not null default '{}',
      title text generated always as (metadata ->> 'title') stored,
      owner text generated always as (metadata ->> 'owner') stored,
      graph_id text generated always as (metadata ->> 'graph_id') stored)`.execute(db);
    await sql`create index if not exists checkpoint_conversations_updated_at_idx on ${table} (updated_at, thread_id)`.execute(
      db,
    );
    await sql`create index if not exists checkpoint_conversations_created_at_idx on ${table} (created_at, thread_id)`.execute(
      db,
    );
    await sql`create index if not exists checkpoint_conversations_owner_idx on ${table} (owner, updated_at, thread_id)`.execute(
      db,
    );
    await sql`create index if not exists checkpoint_conversations_metadata_idx on ${table}
      using gin (metadata jsonb_path_ops)`.execute(db);

    await sql`create or replace function ${touch}() returns trigger language plpgsql security definer
      set search_path = ${sql.id(schema)}, pg_temp as ${sql.lit(TOUCH_RECORD)}`.execute(db);
    await sql`revoke execute on function ${touch}() from public`.execute(db);
    // Citus allows no triggers on distributed tables.
    if (await isDistributed(db, schema)) return;
    await sql`create or replace trigger ${sql.id(TOUCH)} after insert on ${sql.id(schema, "checkpoints")}
      for each row when (new.checkpoint_ns = '') execute function ${touch}()`.execute(db);
  },

  async down(db, schema) {
    const row = await db
      .selectFrom("checkpoint_conversations")
      .select("thread_id")
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) throw new MigrationError(`table "${TABLE}" holds conversations`);
    await sql`drop function if exists ${sql.id(schema, TOUCH)}() cascade`.execute(db);
    await db.schema.dropTable(TABLE).execute();
  },
};

async function isDistributed(db: Kysely<MigratedTables>, schema: string): Promise<boolean> {
  const citus = await sql<{ found: boolean }>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as found`.execute(db);
  if (citus.rows[0]?.found !== true) return false;
  const table = await sql<{ found: boolean }>`
    select exists (select from pg_catalog.pg_dist_partition
      where logicalrelid = to_regclass(format('%I.checkpoints', ${schema}::text))) as found`.execute(db);
  return table.rows[0]?.found === true;
}
