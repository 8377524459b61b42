import { z } from "zod";
import type { BenchDatabase } from "../bench-server.js";
import { templateOf } from "./store-shapes.js";

/** The thread that has 5 % of all checkpoints, in two namespaces. */
export const LONG_THREAD = "long";

/** Five threads that have 0.5 % of all checkpoints each. Two of them have a namespace for each call of a subgraph. */
export const MIDDLE_THREADS = ["middle 1", "middle 2", "middle 3", "middle 4", "middle 5"] as const;

/** The thread with the most namespaces. */
export const MANY_NAMESPACES: (typeof MIDDLE_THREADS)[number] = "middle 1";

const LONG_SHARE = 0.05;
const MIDDLE_SHARE = 0.005;
const CHECKPOINTS_OF_BATCH = 20_000;
/** The time from one copy of all templates to the next, in the units of a UUID of version 6. */
const TICKS_OF_COPY = 600_000_000;

const Counted = z.tuple([z.object({ count: z.number() })]);

/**
 * Copies the threads that LangGraph has stored until the database has so many checkpoints. All threads grow at the same time, as they do in
 * a service, so that the rows of a long one lie apart in the tables.
 */
export async function multiplyThreads(
  database: Pick<BenchDatabase, "query" | "exec">,
  checkpoints: number,
): Promise<void> {
  const count = async (where: string) =>
    Counted.parse(await database.query(`select count(*)::float8 as count from checkpoints where ${where}`))[0]
      .count;
  const copies = Math.ceil((checkpoints * (1 - LONG_SHARE - 5 * MIDDLE_SHARE)) / (await count("true")));
  const repeated = await Promise.all(
    [LONG_THREAD, ...MIDDLE_THREADS].map(async (thread, nth) => {
      const template = templateOf(nth === 1 || nth === 2 ? "nested" : "lasting");
      const share = thread === LONG_THREAD ? LONG_SHARE : MIDDLE_SHARE;
      return { thread, template, times: (checkpoints * share) / (await count(`thread_id = '${template}'`)) };
    }),
  );
  await database.exec(FUNCTIONS);
  const batches = Math.ceil(checkpoints / CHECKPOINTS_OF_BATCH);
  const parts = (times: number, batch: number) =>
    [batch, batch + 1].map((nth) => Math.round((times * nth) / batches)) as [number, number];
  for (let batch = 0; batch < batches; batch++) {
    await database.exec(copyOfAll(...parts(copies, batch)));
    for (const { thread, template, times } of repeated) {
      const apart = Math.round((copies * TICKS_OF_COPY) / times);
      await database.exec(repetition(thread, template, apart, ...parts(times, batch)));
    }
  }
  await database.exec("drop schema size cascade");
  await database.exec("vacuum analyze");
}

const FUNCTIONS = `
  create schema size;
  -- A UUID of version 6 at a later time.
  create function size.at(id text, ticks bigint) returns text immutable language sql return (
    select substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-6' || substr(hex, 13, 3) || substr(id, 19)
    from lpad(to_hex(('x0' || substr(id, 1, 8) || substr(id, 10, 4) || substr(id, 16, 3))::bit(64)::bigint + ticks), 15, '0') as hex);
  create function size.later(version text, by bigint) returns text immutable language sql
    return lpad((split_part(version, '.', 1)::bigint + by)::text, 32, '0') || substr(version, 33);
  create function size.later_each(versions jsonb, by bigint) returns jsonb immutable language sql return (
    select coalesce(jsonb_object_agg(key, size.later(value, by)), '{}') from jsonb_each_text(versions));
  create function size.task(id text, n bigint) returns text immutable language sql return md5(n || id)::uuid::text;
  create function size.namespace(ns text, n bigint) returns text immutable language sql return
    case when strpos(ns, ':') = 0 then ns else split_part(ns, ':', 1) || ':' || size.task(split_part(ns, ':', 2), n) end;
  create function size.parents(metadata jsonb, ticks bigint) returns jsonb immutable language sql return
    case when metadata -> 'parents' = '{}' then metadata else jsonb_set(metadata, '{parents}',
      (select jsonb_object_agg(key, size.at(value, ticks)) from jsonb_each_text(metadata -> 'parents'))) end;
  create table size.checkpoints as select * from checkpoints;
  create table size.blobs as select * from checkpoint_blobs;
  create table size.writes as select * from checkpoint_writes;
  -- The highest version, the number of steps and the last checkpoint of a thread, for what repeats it.
  create table size.last as select stored.thread_id, stored.checkpoint_ns, max(checkpoint_id collate "C") as checkpoint_id,
    (select max(split_part(version, '.', 1)::bigint) from checkpoint_blobs as blob where blob.thread_id = stored.thread_id) as version,
    max((metadata ->> 'step')::integer) + 2 as steps
    from checkpoints as stored group by stored.thread_id, stored.checkpoint_ns;
  analyze size.checkpoints, size.blobs, size.writes, size.last`;

/** Copies all templates, at a later time for each copy. A user has a thread of each shape. */
function copyOfAll(from: number, to: number): string {
  if (from === to) return "select";
  const each = `generate_series(${from}, ${to - 1}) as n`;
  const thread = "replace(stored.thread_id, 'template', 'thread ' || n)";
  const ticks = `n * ${TICKS_OF_COPY}::bigint`;
  const user = "jsonb_build_object('user', n || '-' || split_part(stored.thread_id, ' ', 3))";
  return `
    insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    select ${thread}, checkpoint_ns, size.at(checkpoint_id, ${ticks}), size.at(parent_checkpoint_id, ${ticks}), type,
      jsonb_set(checkpoint, '{id}', to_jsonb(size.at(checkpoint_id, ${ticks}))), size.parents(metadata, ${ticks}) || ${user}
    from ${each}, size.checkpoints as stored order by n, checkpoint_id;
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob, base, whole_bytes)
    select ${thread}, checkpoint_ns, channel, version, type, blob, base, whole_bytes
    from ${each}, size.blobs as stored order by n, version;
    insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
    select ${thread}, checkpoint_ns, size.at(checkpoint_id, ${ticks}), task_id, task_path, idx, channel, type, blob
    from ${each}, size.writes as stored order by n, checkpoint_id`;
}

/** Repeats all steps of a template on one thread. */
function repetition(thread: string, template: string, apart: number, from: number, to: number): string {
  if (from === to) return "select";
  const of = (table: string) => `
    from generate_series(${from}::bigint, ${to - 1}) as n, size.${table} as stored
    join size.last on (last.thread_id, last.checkpoint_ns) = (stored.thread_id, stored.checkpoint_ns)
    where stored.thread_id = '${template}' order by n`;
  const ns = "size.namespace(stored.checkpoint_ns, n)";
  const ticks = `n * ${apart}`;
  const id = `size.at(stored.checkpoint_id, ${ticks})`;
  const by = "n * last.version";
  return `
    insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
    select '${thread}', ${ns}, ${id},
      case when parent_checkpoint_id is not null then size.at(parent_checkpoint_id, ${ticks})
        when n > 0 and strpos(stored.checkpoint_ns, ':') = 0 then size.at(last.checkpoint_id, (n - 1) * ${apart}) end,
      type,
      checkpoint || jsonb_build_object('id', ${id}, 'channel_versions', size.later_each(checkpoint -> 'channel_versions', ${by}),
        'versions_seen', (select coalesce(jsonb_object_agg(key, size.later_each(value, ${by})), '{}') from jsonb_each(checkpoint -> 'versions_seen'))),
      size.parents(metadata, ${ticks}) || jsonb_build_object('user', '${thread}', 'step', (metadata ->> 'step')::bigint + n * steps)
    ${of("checkpoints")}, stored.checkpoint_id;
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob, base, whole_bytes)
    select '${thread}', ${ns}, channel, size.later(stored.version, ${by}), type, blob, size.later(base, ${by}), whole_bytes
    ${of("blobs")}, stored.version;
    insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
    select '${thread}', ${ns}, ${id}, size.task(task_id, n), task_path, idx, channel, type, blob
    ${of("writes")}, stored.checkpoint_id`;
}
