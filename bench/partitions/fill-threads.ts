import type { BenchDatabase } from "../bench-server.js";

/** How much a database holds. */
export interface Amount {
  readonly threads: number;
  /** The number of checkpoints of each thread. */
  readonly steps: number;
}

const THREAD_PREFIX = "bench-";

/** The id of a thread, from 1. */
export function threadIdOf(thread: number): string {
  return `${THREAD_PREFIX}${thread}`;
}

/**
 * Replaces the two checkpoints that are there by many threads. The second one is repeated as each step of a thread: it has a header,
 * a new value in the channel `changing`, and a pending write. All threads make a step before one makes the next, as they do in a service, so
 * that pages and indexes are as full as there.
 */
export async function fillThreads(database: BenchDatabase, { threads, steps }: Amount): Promise<void> {
  const each = `generate_series(1, ${steps}) as step, generate_series(1, ${threads}) as thread`;
  const id = `'${THREAD_PREFIX}' || thread`;
  const order = "order by step, hashtext(thread::text)";
  // In one call, since the temporary tables end with it.
  await database.exec(`
    create function id_of(step integer) returns text immutable language sql
      return '1ef00000-0000-6000-8000-' || lpad(step::text, 12, '0');
    create function version_of(step integer) returns text immutable language sql return lpad(step::text, 32, '0') || '.0';
    create temporary table header as select * from checkpoints order by checkpoint_id desc limit 1;
    create temporary table kept_value as select * from checkpoint_blobs where channel <> 'changing';
    create temporary table changed_value as
      select * from checkpoint_blobs where channel = 'changing' order by version desc limit 1;
    create temporary table write as select * from checkpoint_writes limit 1;
    delete from checkpoints; delete from checkpoint_blobs; delete from checkpoint_writes;
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    select ${id}, '', channel, version, type, blob from kept_value, generate_series(1, ${threads}) as thread;
    insert into checkpoints
      (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    select ${id}, '', id_of(step), case when step > 1 then id_of(step - 1) end, type,
      jsonb_set(jsonb_set(checkpoint, '{id}', to_jsonb(id_of(step))), '{channel_versions,changing}', to_jsonb(version_of(step))),
      jsonb_set(metadata, '{step}', to_jsonb(step))
    from ${each}, header ${order};
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    select ${id}, '', channel, version_of(step), type, blob from ${each}, changed_value ${order};
    insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
    select ${id}, '', id_of(step), task_id, idx, channel, type, blob from ${each}, write ${order};
    drop function id_of(integer);
    drop function version_of(integer)`);
  await database.exec("vacuum analyze");
}
