import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, type RepairAction, type RepairOptions } from "../../src/index.js";
import { timeInId } from "../../src/saver/model/checkpoint-time.js";
import { collect } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { DAMAGE, putThread, readAll, REDUCERS, type StoredThread, UNREADABLE } from "./damaged-thread.js";

interface RepairCase {
  readonly what: string;
  /** Changes the healthy thread. `$1` is its id. */
  readonly before?: string;
  readonly damage: (stored: StoredThread) => string;
  readonly action: RepairAction;
  readonly options?: Partial<RepairOptions>;
  /** Whether a backup of the healthy thread is passed. */
  readonly hasBackup?: true;
  /** What the thread reads afterwards, by what it read before. Default: the same. */
  readonly reads?: (before: readonly CheckpointTuple[], stored: StoredThread) => readonly unknown[];
}

const { header, value, write } = DAMAGE;
const reducers = REDUCERS;

function withoutWrite(tuple: CheckpointTuple | undefined, channel: string): unknown {
  return { ...tuple, pendingWrites: tuple?.pendingWrites?.filter(([, name]) => name !== channel) };
}

const REBUILT: readonly Omit<RepairCase, "action">[] = [
  {
    what: "the id of another row",
    damage: (stored) => header(stored, 2, `checkpoint = jsonb_set(checkpoint, '{id}', '"other"')`),
  },
  {
    what: "an empty id, which the header knows",
    damage: (stored) => header(stored, 2, `checkpoint_id = ''`),
  },
  {
    what: "an unknown format, by that of the parent",
    before: `update checkpoints set checkpoint = jsonb_set(checkpoint, '{v}', '3') where thread_id = $1`,
    damage: (stored) => header(stored, 2, `checkpoint = jsonb_set(checkpoint, '{v}', '9')`),
  },
  {
    what: "no time, by that of the id",
    damage: (stored) => header(stored, 2, `checkpoint = jsonb_set(checkpoint, '{ts}', '"yesterday"')`),
    reads: ([head, ...others], { ids }) => {
      const ts = timeInId(ids[2] ?? "")?.toISOString();
      return [{ ...head, checkpoint: { ...head?.checkpoint, ts } }, ...others];
    },
  },
  {
    what: "a time in words, by that of the id",
    damage: (stored) => header(stored, 2, `checkpoint = jsonb_set(checkpoint, '{ts}', '"30 November 2026"')`),
    reads: ([head, ...others], { ids }) => {
      const ts = timeInId(ids[2] ?? "")?.toISOString();
      return [{ ...head, checkpoint: { ...head?.checkpoint, ts } }, ...others];
    },
  },
  {
    what: "a step that is null, after that of the parent",
    damage: (stored) => header(stored, 2, `metadata = metadata || '{"step": null}'`),
  },
  { what: "a negative length", damage: (stored) => value(stored, 2, "list", "whole_bytes = -1") },
  { what: "the base of a whole value", damage: (stored) => value(stored, 1, "draft", "base = '1'") },
  { what: "a task without a path", damage: (stored) => write(stored, 2, "draft", "task_path = null") },
  { what: "a negative index", damage: (stored) => write(stored, 2, "draft", "idx = -1") },
  {
    what: "a tombstone of a living thread",
    damage: () => "insert into checkpoint_tombstones (thread_id) values ($1)",
  },
  { what: "the type of a value", damage: (stored) => value(stored, 2, "draft", "type = 'yaml'") },
  { what: "the type of a write", damage: (stored) => write(stored, 2, "list", "type = 'msgpack+aes'") },
  {
    what: "a missing value",
    damage: ({ versions }) =>
      `delete from checkpoint_blobs where thread_id = $1 and version = '${versions[2]?.draft}' and channel = 'draft'`,
    options: { reducers },
  },
  {
    what: "an unreadable splice",
    damage: (stored) => value(stored, 1, "list", UNREADABLE),
    options: { reducers },
  },
];

const RESTORED: readonly Omit<RepairCase, "action">[] = [
  {
    what: "a header that can't be read, and then a value that it references",
    damage: (stored) =>
      `with gone as (
        delete from checkpoint_blobs where thread_id = $1 and channel = 'draft' and version = '${stored.versions[2]?.draft}'
      ) ${header(stored, 2, "checkpoint = '[]'")}`,
  },
  { what: "a header", damage: (stored) => header(stored, 1, "checkpoint = '[]'") },
  { what: "a value", damage: (stored) => value(stored, 2, "draft", UNREADABLE) },
  { what: "a pending write", damage: (stored) => write(stored, 2, "draft", UNREADABLE) },
  {
    what: "a value that others are splices of, and that was changed",
    damage: (stored) => value(stored, 0, "list", "blob = set_byte(blob, 1000, 0)"),
  },
];

const DROPPED: readonly Omit<RepairCase, "action">[] = [
  {
    what: "an unreadable value that nothing references",
    damage: () =>
      `insert into checkpoint_blobs (thread_id, channel, version, type, blob) values ($1, 'draft', '9', 'msgpack', '\\xc1')`,
  },
  {
    what: "an unreadable write beside no checkpoint",
    damage: () =>
      `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, task_path, idx, channel, type, blob)
       values ($1, 'gone', 'task', '', 0, 'draft', 'msgpack', '\\xc1')`,
  },
  {
    what: "an unreadable write whose step has ended",
    damage: (stored) => write(stored, 1, "draft", UNREADABLE),
    reads: ([head, second, first]) => [head, withoutWrite(second, "draft"), first],
  },
  {
    what: "a checkpoint whose id is empty, in its header too",
    damage: (stored) =>
      header(stored, 2, `checkpoint_id = '', checkpoint = jsonb_set(checkpoint, '{id}', '""')`),
    reads: ([, ...others]) => others,
  },
];

const CASES: readonly RepairCase[] = [
  ...REBUILT.map((each) => ({ ...each, action: "rebuild" as const })),
  ...RESTORED.map((each) => ({ ...each, action: "restore" as const, hasBackup: true as const })),
  ...DROPPED.map((each) => ({ ...each, action: "drop" as const })),
  {
    what: "a newest checkpoint whose header can't be read",
    damage: (stored) => header(stored, 2, "checkpoint = '[]'"),
    action: "roll-back",
    options: { rollBack: true },
    reads: ([, ...others]) => others,
  },
  {
    what: "an unreadable write beside the newest checkpoint, with the others of its task",
    damage: (stored) => write(stored, 2, "draft", UNREADABLE),
    action: "roll-back",
    options: { rollBack: true },
    reads: ([head, ...others]) => [{ ...head, pendingWrites: [] }, ...others],
  },
  {
    what: "a thread whose checkpoints are all damaged",
    damage: () => "update checkpoints set checkpoint = '[]' where thread_id = $1",
    action: "quarantine",
    options: { rollBack: true, quarantine: true },
    reads: () => [],
  },
];

describeEachTarget("repair", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false, splices: true });
    // Whoever damages rows may drop what prevents it.
    await database.exec("alter table checkpoint_writes alter task_path drop not null");
  });
  afterAll(() => saver.end());

  it.each(CASES)("by $action: $what", async (each) => {
    const { before, damage, action, options = {}, hasBackup, reads = (same) => same } = each;
    const stored = await putThread(saver);
    const { thread } = stored;
    if (before !== undefined) await database.query(before, [thread]);
    const healthy = await readAll(saver, thread);
    const from = hasBackup && (await collect(saver.exportThreads({ threads: [thread] })));
    await database.query(damage(stored), [thread]);
    const call = { threads: [thread], dryRun: true };
    if (hasBackup ?? Object.keys(options).length > 0) {
      const without = await saver.repair(call);
      expect(without).toMatchObject({ threads: 1, repaired: 0 });
      expect(new Set(without.repairs.map((repair) => repair.action))).toEqual(new Set(["none"]));
    }
    const to = memoryArchive();
    const done = await saver.repair({ threads: [thread], to, from, ...options });
    expect(done).toMatchObject({ threads: 1, repaired: 1 });
    expect(new Set(done.repairs.map((repair) => repair.action))).toEqual(new Set([action]));
    expect(await readAll(saver, thread)).toEqual(reads(healthy, stored));
    const { problems } = await saver.verify(thread);
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});
