import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { BackupError, PostgresSaver, ThreadDeletedError } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { expectLocksInOrder } from "../../test-support/locks-in-order.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { idAt } from "../retention/id-at.js";
import { missingBlobs } from "../retention/stored-rows.js";

/** More channels than one transaction of an import stores values or writes of. */
const MANY = Array.from({ length: 1_100 }, (_, index) => `channel ${index}`);

describeServer("an import with concurrent writers", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  /** The other caller has a saver of its own: calls of one saver on a thread wait for each other in the process. */
  let other: PostgresSaver;
  let thread: string;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false });
    other = new PostgresSaver(database.source, undefined, { retry: false });
  });
  beforeEach(() => {
    thread = newThread();
  });
  afterAll(() => Promise.all([saver.end(), other.end()]));

  /** Exports a thread with one checkpoint, and deletes it. */
  async function backup(values: Record<string, unknown>, writes: readonly string[] = []): Promise<string[]> {
    const checkpoint = { ...checkpointOf(saver, values), id: idAt(0) };
    const config = await saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    await saver.putWrites(
      config,
      writes.map((channel) => [channel, 1]),
      "task",
    );
    const lines = await collect(saver.exportThreads({ threads: [thread] }));
    await saver.deleteThread(thread);
    return lines;
  }

  /** Yields the lines, and awaits `meanwhile` before the line of the checkpoint. */
  async function* interrupted(lines: readonly string[], meanwhile: () => Promise<unknown>) {
    for (const line of lines) {
      if (line.includes('"table":"checkpoints"')) await meanwhile();
      yield line;
    }
  }

  /** Exports two threads whose checkpoints have the same id. The second one references a value that only the first one has. */
  async function backupOfTwo(values: Record<string, unknown>, writes: readonly string[]) {
    const second = newThread();
    const of = async (id: string, all: Record<string, unknown>, written: readonly string[]) => {
      const made = checkpointOf(saver, all);
      const channel_versions = { ...made.channel_versions, shared: 1 };
      const checkpoint = { ...made, id: idAt(0), channel_versions };
      const config = await saver.put(threadConfig(id), checkpoint, metadataOf(), channel_versions);
      await saver.putWrites(
        config,
        written.map((channel) => [channel, 1]),
        "task",
      );
    };
    await of(thread, { shared: ["shared"] }, ["shared"]);
    await of(second, { shared: ["shared"], ...values }, writes);
    await database.query("delete from checkpoint_blobs where thread_id = $1 and channel = 'shared'", [
      second,
    ]);
    const lines = await collect(saver.exportThreads({ threads: [thread, second] }));
    await saver.prune([thread, second], { strategy: "delete" });
    return { second, lines };
  }

  it("expects of a thread no value and no write that another one has", async () => {
    const { second, lines } = await backupOfTwo(
      Object.fromEntries(MANY.map((channel) => [channel, [1]])),
      [],
    );
    const impatient = new PostgresSaver(`${database.source}?options=-c%20lock_timeout%3D1s`, undefined, {
      retry: false,
    });
    const blocker = new pg.Client({ connectionString: database.source });
    await blocker.connect();
    const lockFirst = async () => {
      await blocker.query("begin");
      for (const table of ["checkpoint_blobs", "checkpoint_writes"])
        await blocker.query(`select from ${table} where thread_id = $1 for update`, [thread]);
    };
    expect(await impatient.importThreads(interrupted(lines, lockFirst))).toMatchObject({
      ...{ threads: 2, checkpoints: 2, writes: 1, blobs: MANY.length + 1 },
    });
    await blocker.end();
    await impatient.end();
    await saver.prune([thread, second], { strategy: "delete" });
  });

  it("expects the writes of a thread although another one has the same checkpoint", async () => {
    const { second, lines } = await backupOfTwo({}, MANY);
    const remove = () => database.query("delete from checkpoint_writes where thread_id = $1", [second]);
    await expect(saver.importThreads(interrupted(lines, remove))).rejects.toThrow(
      `thread "${second}" was pruned or deleted during the import`,
    );
    await saver.prune([thread, second], { strategy: "delete" });
  });

  it.each(["checkpoints", "checkpoint_blobs", "checkpoint_writes"])(
    "takes its locks on %s in the order of keys, whatever that of the lines is (C2)",
    async (table) => {
      for (const n of [1, 2, 3]) {
        const checkpoint = { ...checkpointOf(saver, { list: [n] }), id: idAt(n) };
        const channel_versions = { list: n };
        const config = threadConfig(thread, { checkpoint_ns: `${n}` });
        const put = await saver.put(
          config,
          { ...checkpoint, channel_versions },
          metadataOf(),
          channel_versions,
        );
        await saver.putWrites(put, [["list", n]], "task");
      }
      const [first = "", ...lines] = await collect(saver.exportThreads({ threads: [thread] }));
      const moved = lines.filter((line) => line.includes('"checkpoint_ns":"2"'));
      const body = [first, ...moved, ...lines.slice(0, -1).filter((line) => !moved.includes(line))];
      const sha256 = createHash("sha256")
        .update(body.map((line) => `${line}\n`).join(""))
        .digest("hex");
      const shuffled = [...body, (lines.at(-1) ?? "").replace(/(?<="sha256":")[^"]+/, sha256)];
      const rows = await database.query(`select * from ${table} where thread_id = $1`, [thread]);
      await saver.deleteThread(thread);
      await expectLocksInOrder(
        database,
        ["1", "2", "3"],
        (locker, ns) =>
          locker.query(`insert into ${table} select * from json_populate_record(null::${table}, $1)`, [
            JSON.stringify(rows.find(({ checkpoint_ns }) => checkpoint_ns === ns)),
          ]),
        () => saver.importThreads(shuffled),
      );
      await saver.deleteThread(thread);
    },
  );

  it("restores everything or fails when a prune runs at any point of it (C18)", async () => {
    await database.query(
      `insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        select $1, lpad(n::text, 6, '0'), lpad((n - 1)::text, 6, '0'),
          jsonb_build_object('v', 4, 'id', lpad(n::text, 6, '0'), 'ts', '2026-01-02T03:04:05Z',
            'channel_values', '{}'::jsonb, 'versions_seen', '{}'::jsonb,
            'channel_versions', jsonb_build_object('a', n, 'b', n / 50)), '{"step": 1, "source": "loop", "parents": {}}'
        from generate_series(1, 1200) as n`,
      [thread],
    );
    await database.query(
      `insert into checkpoint_blobs (thread_id, channel, version, type, blob)
        select distinct $1, channel, (n / per)::text, 'json', '\\x31'::bytea
        from generate_series(1, 1200) as n, (values ('a', 1), ('b', 50)) as each(channel, per)`,
      [thread],
    );
    await database.query(
      `insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select $1, lpad(n::text, 6, '0'), 'task', 0, 'a', 'json', '\\x31' from generate_series(1, 1200) as n`,
      [thread],
    );
    const lines = await collect(saver.exportThreads({ threads: [thread] }));
    const outcomes = new Set<string>();
    const points = [
      { at: 1_500, deleteUnproven: true },
      { at: 2_500, deleteUnproven: false },
      { at: 3_100, deleteUnproven: true },
      { at: 3_600, deleteUnproven: true },
    ];
    for (const { at, deleteUnproven } of points) {
      await saver.deleteThread(thread);
      const pruneAt = async function* () {
        for (const [index, line] of lines.entries()) {
          if (index === at) await saver.prune({ keepLast: 2, threads: [thread], deleteUnproven });
          yield line;
        }
      };
      const outcome = await saver.importThreads(pruneAt()).then(
        () => "restored",
        (error: unknown) => (error instanceof BackupError ? "refused" : "failed"),
      );
      const { problems } = await saver.verify(thread);
      expect({ at, outcome, problems: problems.filter(({ severity }) => severity === "error") }).toEqual({
        at,
        outcome: expect.stringMatching(deleteUnproven ? "restored|refused" : "restored"),
        problems: [],
      });
      outcomes.add(outcome);
    }
    expect([...outcomes].sort()).toEqual(["refused", "restored"]);
    await saver.deleteThread(thread);
  });

  it("ends before a deletion with a tombstone, or fails after it", async () => {
    const lines = await backup({ a: ["first"], z: ["last"] });
    await saver.importThreads(lines);
    await database.query("delete from checkpoints where thread_id = $1", [thread]);
    const keepTombstones = { retry: false, keepTombstones: true } as const;
    const keeping = new PostgresSaver(database.source, undefined, keepTombstones);
    const otherKeeping = new PostgresSaver(database.source, undefined, keepTombstones);
    const blocker = new pg.Client({ connectionString: database.source });
    await blocker.connect();
    await blocker.query("begin");
    // The import waits for this row after it has checked for a tombstone.
    await blocker.query("update checkpoint_blobs set type = type where thread_id = $1", [thread]);
    const importing = keeping.importThreads(lines);
    await untilItWaits(database, importing);
    const deleting = otherKeeping.deleteThread(thread);
    await untilItWaits(database, deleting, 2);
    await blocker.query("commit");
    await Promise.all([importing, deleting]);
    await blocker.end();

    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
    await expect(keeping.importThreads(lines, { strict: true })).rejects.toThrow(ThreadDeletedError);
    await Promise.all([keeping.end(), otherKeeping.end()]);
  });

  // A deletion also deletes the writes that are stored before it.
  const removals: [string, () => Promise<unknown>, { writesKept: number }][] = [
    [
      "prunes",
      () => other.prune({ keepLast: 1, threads: [thread], deleteUnproven: true }),
      { writesKept: 1 },
    ],
    ["deletes", () => other.deleteThread(thread), { writesKept: 0 }],
  ];
  describe.each(removals)("while another caller %s the thread", (_name, remove, { writesKept }) => {
    it.each([
      ["values", Object.fromEntries(MANY.map((channel) => [channel, [1]])), []],
      ["writes", { list: [1] }, MANY],
    ])(
      "refuses a checkpoint whose %s were deleted, and restores it when it runs again",
      async (_what, values, writes) => {
        const lines = await backup(values, writes);
        const imported = saver.importThreads(interrupted(lines, remove));
        await expect(imported).rejects.toThrow(BackupError);
        await expect(imported).rejects.toThrow("was pruned or deleted during the import");
        expect(await saver.getTuple(threadConfig(thread))).toBeUndefined();

        await saver.importThreads(lines);
        const tuple = await saver.getTuple(threadConfig(thread));
        expect(tuple?.checkpoint.channel_values).toEqual(values);
        expect(tuple?.pendingWrites).toHaveLength(writes.length);
      },
    );

    it("restores a complete thread when one transaction stores it", async () => {
      const lines = await backup({ a: ["first"], z: ["last"] }, ["a"]);
      await saver.importThreads(interrupted(lines, remove));
      const tuple = await saver.getTuple(threadConfig(thread));
      expect(tuple?.checkpoint.channel_values).toEqual({ a: ["first"], z: ["last"] });
      expect(tuple?.pendingWrites).toHaveLength(1);
    });

    // The import waits in the middle, for a row that an open transaction has deleted.
    it("keeps values that are already stored", async () => {
      const lines = await backup({ a: ["first"], z: ["last"] }, ["a"]);
      await saver.importThreads(lines);
      await database.query("delete from checkpoints where thread_id = $1", [thread]);
      const blocker = new pg.Client({ connectionString: database.source });
      await blocker.connect();
      await blocker.query("begin");
      await blocker.query("delete from checkpoint_blobs where thread_id = $1 and channel = 'z'", [thread]);
      const importing = saver.importThreads(lines);
      await untilItWaits(database, importing);
      const removing = remove();
      await untilItWaits(database, removing, 2);
      await blocker.query("commit");
      await Promise.all([importing, removing]);
      await blocker.end();

      expect(await missingBlobs(database)).toEqual([]);
      const tuple = await saver.getTuple(threadConfig(thread));
      expect(tuple?.pendingWrites).toHaveLength(writesKept);
    });
  });
});
