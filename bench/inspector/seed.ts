import type { BenchDatabase } from "../bench-server.js";
import type { Size } from "../scenarios/scenario.js";

/** How much the database of the inspector holds. */
export interface Amounts {
  readonly threads: number;
  /** The checkpoints of the long thread. */
  readonly checkpoints: number;
  /** The checkpoints of the thread of an agent, whose story is told. */
  readonly steps: number;
  /** The length of the long value. */
  readonly valueBytes: number;
}

/** The names of the threads that the pages open. */
export const LONG_THREAD = "long thread";
export const AGENT_THREAD = "thread of an agent";
export const LARGE_THREAD = "thread with a large value";

/** Values of the thread of an agent as msgpack in hexadecimal. */
export interface Messages {
  /** What each step has written. */
  readonly written: string;
  /** As many messages as there are steps. */
  readonly conversation: string;
}

const CHECKPOINTS_OF_EACH = 3;
const WRITES_OF_EACH = 2;

export function amountsOf({ quick }: Size): Amounts {
  return quick
    ? { threads: 500, checkpoints: 200, steps: 200, valueBytes: 1_000_000 }
    : { threads: 100_000, checkpoints: 20_000, steps: 2_000, valueBytes: 50_000_000 };
}

/** Stores the many threads and the long one by SQL, since a million puts would take longer than all measurements. */
export async function seedThreads(
  database: BenchDatabase,
  { threads, checkpoints, steps }: Amounts,
  messages: Messages,
): Promise<void> {
  await insertThreads(database, `'thread-' || md5(t::text)`, threads, CHECKPOINTS_OF_EACH);
  await insertThreads(database, `'${LONG_THREAD}'`, 1, checkpoints);
  await insertThreads(database, `'${AGENT_THREAD}'`, 1, steps);
  // Each step has written a message, and the newest checkpoint has the conversation.
  await database.exec(`
    update checkpoint_writes set channel = 'messages', type = 'msgpack', blob = decode('${messages.written}', 'hex')
    where thread_id = '${AGENT_THREAD}' and channel = 'log';
    update checkpoints set checkpoint = replace(checkpoint::text, '"log"', '"messages"')::jsonb
    where thread_id = '${AGENT_THREAD}';
    update checkpoint_blobs set channel = 'messages', blob = decode('${messages.conversation}', 'hex')
    where thread_id = '${AGENT_THREAD}' and version like lpad('${steps}', 32, '0') || '%';
  `);
  await insertOpenTasks(database, threads);
  await database.exec("vacuum analyze");
}

/** Half of the threads have asked something in the past. Of all, 5 in a hundred wait now, and 2 have failed. */
async function insertOpenTasks(database: BenchDatabase, threads: number): Promise<void> {
  const last = CHECKPOINTS_OF_EACH - 1;
  const insert = (channel: string, step: number, which: string): Promise<unknown> =>
    database.exec(`
      insert into checkpoint_writes
        (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
      select 'thread-' || md5(t::text), '', ${idOf(CHECKPOINTS_OF_EACH, String(step))}, md5('${step}')::uuid::text,
        '~__pregel_pull, agent', -3, '${channel}', 'json', convert_to('[{"id":"1","value":"May I go on?"}]', 'UTF8')
      from generate_series(1, ${threads}) as t where ${which}`);
  await insert("__interrupt__", last - 1, "t % 2 = 0");
  await insert("__interrupt__", last, "t % 20 = 0");
  await insert("__error__", last, "t % 50 = 1");
}

/** An expression over the number `t` of a thread: the id of its checkpoint at a step. */
function idOf(checkpoints: number, step: string): string {
  // 0x1ef… is a time in 2024. The digits of a UUID of version 6 are in the order of time.
  const ticks = `lpad(to_hex(139000000000000000 + (t * ${checkpoints} + ${step})::bigint * 10000000), 15, '0')`;
  return `overlay(overlay(${ticks} placing '-6' from 13 for 0) placing '-' from 9 for 0)
      || '-8000-' || lpad(to_hex(t), 12, '0')`;
}

/**
 * Inserts threads of a graph with one node that writes a list. Their ids are UUIDs of version 6, a second apart, as LangGraph.js makes them.
 *
 * @param name - An expression over the number `t` of the thread.
 */
async function insertThreads(
  database: BenchDatabase,
  name: string,
  threads: number,
  checkpoints: number,
): Promise<void> {
  const idAt = (step: string): string => idOf(checkpoints, step);
  const version = `lpad((s + 1)::text, 32, '0') || '.5'`;
  const each = `from generate_series(1, ${threads}) as t, generate_series(0, ${checkpoints - 1}) as s`;
  await database.exec(`
    insert into checkpoints
      (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    select ${name}, '', ${idAt("s")}, case when s > 0 then ${idAt("s - 1")} end, 'msgpack',
      jsonb_build_object('v', 4, 'id', ${idAt("s")}, 'ts', '2024-01-01T00:00:00.000Z',
        'channel_values', jsonb_build_object('branch:to:agent', null),
        'channel_versions', jsonb_build_object('log', ${version}, 'branch:to:agent', ${version}),
        'versions_seen', jsonb_build_object('agent', jsonb_build_object('branch:to:agent', lpad(s::text, 32, '0') || '.5'))),
      jsonb_build_object('source', 'loop', 'step', s, 'parents', jsonb_build_object(),
        'run_id', md5((s / 100)::text), 'user', t % 1000)
    ${each};
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    select ${name}, '', 'log', ${version}, 'msgpack', decode('dc000a' || repeat('a0', 10), 'hex')
    ${each};
    insert into checkpoint_writes
      (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
    select ${name}, '', ${idAt("s")}, md5(s::text)::uuid::text, '~__pregel_pull, agent', w,
      case w when 0 then 'log' else 'branch:to:agent' end, 'msgpack', decode('90', 'hex')
    ${each}, generate_series(0, ${WRITES_OF_EACH - 1}) as w
    where s < ${checkpoints - 1}`);
}
