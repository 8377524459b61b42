import type { TestDatabase } from "../../test-support/targets.js";

/** The blobs that no header references. */
export async function orphanedBlobs(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select thread_id || '/' || checkpoint_ns || '/' || channel || '/' || version as name from checkpoint_blobs b
      where not exists (select from checkpoints c where c.thread_id = b.thread_id
        and c.checkpoint_ns = b.checkpoint_ns and c.checkpoint -> 'channel_versions' ->> b.channel = b.version)`,
  );
  return rows.map(({ name }) => name);
}

/** The channel versions that a header references, that have no blob, and whose value isn't in the header either. */
export async function missingBlobs(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select c.thread_id || '/' || c.checkpoint_id || '/' || e.key as name
      from checkpoints c, jsonb_each_text(c.checkpoint -> 'channel_versions') e
      where not coalesce(jsonb_exists(c.checkpoint -> 'channel_values', e.key), false)
        and not exists (select from checkpoint_blobs b where c.thread_id = b.thread_id
          and c.checkpoint_ns = b.checkpoint_ns and b.channel = e.key and b.version = e.value)`,
  );
  return rows.map(({ name }) => name);
}

/** The writes without a checkpoint, except sends that a checkpoint of a format before version 4 reads. */
export async function orphanedWrites(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select thread_id || '/' || checkpoint_id || '/' || channel as name from checkpoint_writes w
      where not exists (select from checkpoints c where c.thread_id = w.thread_id
        and c.checkpoint_ns = w.checkpoint_ns and c.checkpoint_id = w.checkpoint_id)
      and not (w.channel = '__pregel_tasks' and exists (select from checkpoints c where c.thread_id = w.thread_id
        and c.checkpoint_ns = w.checkpoint_ns and c.parent_checkpoint_id = w.checkpoint_id
        and (c.checkpoint ->> 'v')::integer < 4))`,
  );
  return rows.map(({ name }) => name);
}

/** The number of rows in each table. */
export async function rowsOf(database: TestDatabase): Promise<Record<string, unknown>> {
  const [row] = await database.query(
    `select (select count(*)::integer from checkpoints) as checkpoints,
      (select count(*)::integer from checkpoint_writes) as writes,
      (select count(*)::integer from checkpoint_blobs) as blobs,
      (select coalesce(sum(pg_column_size(blob)), 0)::integer from (
        select blob from checkpoint_writes union all select blob from checkpoint_blobs) as each)
      + (select coalesce(sum(pg_column_size(checkpoint) + pg_column_size(metadata)), 0)::integer from checkpoints)
        as bytes`,
  );
  return row ?? {};
}
