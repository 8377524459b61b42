import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Admin } from "../run/admin.js";
import type { Snapshot } from "./snapshot.js";
import { groupBy } from "../../../src/db/group-by.js";

/** Reads everything in the database, both through a saver and by SQL. */
export async function readSnapshot(saver: BaseCheckpointSaver, admin: Admin): Promise<Snapshot> {
  const { tuples, unreadable } = await readTuples(saver, await threadsOf(admin));
  return { tuples, unreadable, writes: await readWriteKeys(admin), missingBlobs: await missingBlobs(admin) };
}

async function threadsOf(admin: Admin): Promise<string[]> {
  const rows = await admin.query<{ thread_id: string }>("select distinct thread_id from checkpoints");
  return rows.map(({ thread_id }) => thread_id);
}

async function readTuples(
  saver: BaseCheckpointSaver,
  threads: readonly string[],
): Promise<Pick<Snapshot, "tuples" | "unreadable">> {
  const tuples = new Map<string, CheckpointTuple[]>();
  const unreadable: string[] = [];
  for (const thread of threads) {
    const found: CheckpointTuple[] = [];
    tuples.set(thread, found);
    try {
      for await (const tuple of saver.list({ configurable: { thread_id: thread } })) found.push(tuple);
    } catch (error) {
      unreadable.push(`thread ${thread}: ${String(error)}`);
    }
  }
  return { tuples, unreadable };
}

async function readWriteKeys(admin: Admin): Promise<Snapshot["writes"]> {
  const rows = await admin.query<{ thread_id: string; checkpoint: string; task: string; idx: number }>(
    "select thread_id, checkpoint_id as checkpoint, task_id as task, idx from checkpoint_writes",
  );
  return groupBy(rows, ({ thread_id }) => thread_id);
}

async function missingBlobs(admin: Admin): Promise<string[]> {
  const rows = await admin.query<{ place: string }>(`
    select format('%s %s %s', c.thread_id, c.checkpoint_id, v.channel) as place
    from checkpoints c, jsonb_each_text(c.checkpoint -> 'channel_versions') as v(channel, version)
    where not coalesce(c.checkpoint -> 'channel_values' ? v.channel, false)
      and not exists (
        select from checkpoint_blobs b
        where b.thread_id = c.thread_id and b.checkpoint_ns = c.checkpoint_ns
          and b.channel = v.channel and b.version = v.version
      )`);
  return rows.map(({ place }) => place);
}
