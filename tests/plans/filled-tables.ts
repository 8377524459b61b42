import type { TestDatabase } from "../../test-support/targets.js";

/** The tables of a saver, of conversations, a store, a cache and a checkpoint store, with what fills them. */
const TABLES = {
  checkpoints: `(thread_id, checkpoint_id, checkpoint, metadata)
    select 't' || n / 2, lpad(n::text, 6, '0'), jsonb_build_object('v', 4, 'channel_versions',
      jsonb_build_object('a', n % 25, 'b', n % 25, 'c', n % 25, 'd', n % 25)), jsonb_build_object('source', 'loop', 'step', n)`,
  checkpoint_blobs: `(thread_id, channel, version, type, blob, base)
    select 't' || n / 2, substr('abcd', 1 + n % 4, 1), n % 25, 'json', '\\x31', case when n % 25 > 0 then n % 25 - 1 end`,
  checkpoint_writes: `(thread_id, checkpoint_id, task_id, idx, channel, type, blob)
    select 't' || n / 2, lpad(n::text, 6, '0'), 'task', 0, 'a', 'json', '\\x31'`,
  checkpoint_conversations: `(thread_id, metadata, updated_at)
    select 't' || n, jsonb_build_object('title', 'About ' || n, 'owner', 'user ' || n % 5000, 'graph_id', 'agent'),
      now() - n * interval '1 minute'`,
  store: `(prefix, key, value, expires_at, ttl_minutes)
    select 'users.u' || n / 2, 'k' || n, jsonb_build_object('text', 'food and music ' || n, 'kind',
      substr('abc', 1 + n % 3, 1), 'rank', n % 100), case when n % 10 = 0 then now() + interval '1 day' end,
      case when n % 10 = 0 then 1440 end`,
  cache_entries: `(namespace, key, type, value, size) select 'n' || n % 100, 'k' || n, 'json', '\\x31', 20`,
  checkpoint_store: `(id, execution_id, thread_id, node_name, state, timestamp, version)
    select 'c' || n, 'e' || n / 2, 't' || n / 2, 'node', '{"a": 1}', now() - n * interval '1 s', n % 100`,
} as const;

/** What makes a row of each table longer than a tenth of a page. */
const LONG_ROWS = {
  checkpoints: "(thread_id, checkpoint_id, checkpoint, type) select '', key, '{}', long",
  checkpoint_blobs: "(thread_id, channel, version, type) select '', '', key, long",
  checkpoint_writes:
    "(thread_id, checkpoint_id, task_id, idx, channel, type, blob) select '', key, '', 0, '', long, ''",
  checkpoint_conversations: "(thread_id, metadata) select key, jsonb_build_object('note', long)",
  store: "(prefix, key, value) select '', key, to_jsonb(long)",
  cache_entries: "(namespace, key, type, value, size) select '', key, long, '', 0",
  checkpoint_store:
    "(id, execution_id, node_name, state, timestamp, version) select key, '', long, '{}', now(), 0",
} as const satisfies Record<keyof typeof TABLES, string>;

/** Columns that have a value for so many rows, as in a database where each thread has a hundred of them. */
const OF_THREAD = [
  ["checkpoints", "thread_id"],
  ["checkpoint_blobs", "thread_id"],
  ["checkpoint_writes", "thread_id"],
  ["store", "prefix"],
  ["checkpoint_store", "execution_id"],
  ["checkpoint_store", "thread_id"],
] as const;

type TableName = keyof typeof TABLES;

/** The tables of a saver. */
export const SAVER_TABLES = [
  "checkpoints",
  "checkpoint_blobs",
  "checkpoint_writes",
] as const satisfies TableName[];

const NAMES: readonly TableName[] = [
  ...SAVER_TABLES,
  "checkpoint_conversations",
  "store",
  "cache_entries",
  "checkpoint_store",
];
const MILLION = 1_000_000;
const THREADS_OF_MILLION = 10_000;
/** The pages of a million rows of these tables. */
const PAGES_OF_MILLION = 15_000;
const SAMPLE = 10_000;

/** Empties the tables, and lets no job change what the server knows about them. */
export async function emptyTables(database: TestDatabase): Promise<void> {
  for (const table of NAMES) {
    await database.exec(`truncate ${table}; alter table ${table} set (autovacuum_enabled = off)`);
  }
  await forgetStatistics(database);
}

/** Makes tables of so many rows, without statistics. */
export async function fillTables(database: TestDatabase, rows: number): Promise<void> {
  await emptyTables(database);
  await insertRows(database, rows);
}

async function insertRows(database: TestDatabase, rows: number, tables = NAMES): Promise<void> {
  for (const table of tables) {
    await database.exec(`insert into ${table} ${TABLES[table]} from generate_series(1, ${rows}) as n`);
  }
}

/**
 * Makes the tables as large as those of a million rows, in a second instead of a minute: each page has held one long row, which is
 * deleted. Where the server has no statistics, it counts rows by pages.
 */
export async function enlargeTables(database: TestDatabase, tables = NAMES): Promise<void> {
  for (const table of tables) {
    await database.exec(`
      truncate ${table};
      alter table ${table} set unlogged;
      alter table ${table} set (fillfactor = 10);
      insert into ${table} ${LONG_ROWS[table]} from generate_series(1, ${PAGES_OF_MILLION}) as n,
        lateral (select lpad(n::text, 8, '0'), repeat('-', 800)) as _ (key, long);
      delete from ${table};
      alter table ${table} reset (fillfactor)`);
  }
  await forgetStatistics(database, tables);
  await insertRows(database, SAMPLE, tables);
}

/** Collects statistics. */
export async function analyzeTables(database: TestDatabase, tables = NAMES): Promise<void> {
  await database.exec(`analyze ${tables.join()}`);
}

/** Collects the statistics of a sample in {@link enlargeTables}, as those of a million rows, or of so many. */
export async function analyzeAsMillion(
  database: TestDatabase,
  rows = MILLION,
  tables = NAMES,
): Promise<void> {
  for (const [table, column] of OF_THREAD.filter(([table]) => tables.includes(table))) {
    await database.exec(`alter table ${table} alter ${column} set (n_distinct = ${THREADS_OF_MILLION})`);
  }
  await analyzeTables(database, tables);
  await database.query("update pg_class set reltuples = $1 where oid = any ($2::regclass[]::oid[])", [
    rows,
    tables,
  ]);
}

async function forgetStatistics(database: TestDatabase, tables = NAMES): Promise<void> {
  await database.query("delete from pg_statistic where starelid = any ($1::regclass[]::oid[])", [tables]);
  await database.query(
    "update pg_class set reltuples = -1, relpages = 0 where oid = any ($1::regclass[]::oid[])",
    [tables],
  );
}
