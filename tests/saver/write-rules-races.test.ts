import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type CheckpointBatch,
  type CheckpointDatabase,
  ConcurrentModificationError,
  PostgresSaver,
  type PostgresSaverOptions,
  ThreadDeletedError,
} from "../../src/index.js";
import { listIds, threadConfig } from "../../test-support/checkpoints.js";
import { idOf, listCheckpoint, outcomesOf, putFrom } from "../../test-support/put-from.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { until } from "../../test-support/until.js";

// A deadlock would be retried, and so stay unnoticed.
const TOMBSTONES = { keepTombstones: true, retry: false } as const;
const BOTH = { ...TOMBSTONES, concurrency: "optimistic" } as const;
const ROUNDS = 60;

const WAITERS = `
  select pid from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

describeServer("many connections at once, under the rules for writes,", (target) => {
  let database: TestDatabase<string>;
  const savers: PostgresSaver[] = [];

  beforeEach(async () => {
    database = await target.migratedDatabase();
  });
  afterEach(async () => {
    for (const saver of savers.splice(0)) await saver.end();
  });

  function openSaver(options: PostgresSaverOptions, max = 4): PostgresSaver {
    const saver = new PostgresSaver({ connectionString: database.source, max }, undefined, options);
    savers.push(saver);
    return saver;
  }

  it("leave no row of a thread that is deleted during concurrent writes (C5)", async () => {
    const [one, two, three] = [openSaver(TOMBSTONES), openSaver(TOMBSTONES), openSaver(BOTH)];
    let [before, after] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const thread = `thread ${round}`;
      const config = await putFrom(one, "input", threadConfig(thread));
      const writes = [
        () => putFrom(one, "loop", config),
        () => two.putWrites(config, [["a", round]], "task"),
        () => putFrom(three, "loop", config),
        () => putFrom(two, "input", threadConfig(thread, { checkpoint_ns: "child" })),
        () => two.batch((batch) => putFrom(batch, "loop", config)),
      ];
      // At another position among the writes in each round.
      const place = round % (writes.length + 1);
      const calls = [
        ...writes.slice(0, place),
        () => (round % 2 === 0 ? three : two).deleteThread(thread),
        ...writes.slice(place),
      ];
      const { kept, errors } = await outcomesOf(calls.map((call) => call()));
      for (const error of errors) {
        if (error instanceof ConcurrentModificationError || error instanceof ThreadDeletedError) continue;
        // With its message and its SQLSTATE.
        throw error;
      }
      before += kept - 1;
      after += errors.length;
      expect(await rowsOf(database, thread)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
    }
    // Otherwise they would not have met.
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(0);
  });

  it("wait only for puts of a successor in the same namespace, and for deletions of the thread", async () => {
    const [one, two, three] = [openSaver(BOTH), openSaver(BOTH), openSaver(BOTH)];
    const first = await putFrom(one, "input", threadConfig("t"));
    let waiting: Promise<unknown> = Promise.resolve();
    await database
      .kysely<CheckpointDatabase>()
      .transaction()
      .execute(async (transaction) => {
        const passedIn = new PostgresSaver(transaction, undefined, BOTH);
        await putFrom(passedIn, "loop", first);
        await two.putWrites(first, [["a", "beside"]], "task");
        await putFrom(two, "fork", first);
        await putFrom(two, "input", threadConfig("t", { checkpoint_ns: "child" }));
        await putFrom(two, "input", threadConfig("other"));
        await two.deleteThread("another");
        // Of different savers, because the calls of one saver on a thread wait for each other.
        waiting = outcomesOf([putFrom(two, "loop", first), three.deleteThread("t")]);
        await until(async () => (await database.query(WAITERS)).length >= 2);
      });
    await waiting;
    expect(await rowsOf(database, "t")).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
  });

  it("never deadlock, whatever they do to the same threads (C2)", async () => {
    const ruled = [
      openSaver(BOTH),
      openSaver(TOMBSTONES),
      openSaver({ concurrency: "optimistic", retry: false }),
    ];
    const plain = openSaver({ retry: false });
    const all = [...ruled, plain];
    for (let round = 0; round < 10; round++) {
      const threads = Array.from({ length: 5 }, (_, nth) => `round ${round} thread ${nth}`);
      const heads = await Promise.all(threads.map((thread) => putFrom(plain, "input", threadConfig(thread))));
      const shared = Array.from({ length: 5 }, () => listCheckpoint());
      const calls = all.flatMap((saver, nth) => [
        () =>
          saver.batch(async (batch) => {
            for (const [index, head] of rotated(heads, nth + round).entries()) {
              if (index === nth) await batch.deleteThread(String(head.configurable?.thread_id));
              else await putFrom(batch, "loop", head, shared[index]);
              if (index !== nth) await batch.putWrites(head, [["a", index]], "task");
            }
          }),
        () => saver.batch((batch) => chain(batch, rotated(heads, 2 * nth + round), shared)),
        ...rotated(heads, nth).map((head, index) => () => putFrom(saver, "loop", head, shared[index])),
        ...rotated(heads, nth + 2).map(
          (head, index) => () => saver.putWrites(head, [["__interrupt__", index]], "task"),
        ),
        () => saver.deleteThread(threads[(round + nth) % threads.length] ?? ""),
        () => saver.batch((batch) => deleteAll(batch, rotated(threads, nth))),
      ]);
      const { errors } = await outcomesOf(rotated(calls, 7 * round).map((call) => call()));
      for (const error of errors) {
        if (error instanceof ConcurrentModificationError || error instanceof ThreadDeletedError) continue;
        // With its message and its SQLSTATE.
        throw error;
      }
    }
  });

  it("continue every thread of a batch, or none (C1)", async () => {
    const [one, two] = [openSaver(BOTH), openSaver(BOTH)];
    for (let round = 0; round < 20; round++) {
      const threads = [`round ${round} a`, `round ${round} b`];
      const heads = await Promise.all(threads.map((thread) => putFrom(one, "input", threadConfig(thread))));
      const [left, right] = [heads, [...heads].reverse()].map((order, nth) =>
        Array.from(order, (head) => ({ head, checkpoint: listCheckpoint([nth]) })),
      );
      const { kept } = await outcomesOf(
        [one, two].map((saver, nth) =>
          saver.batch(async (batch) => {
            for (const { head, checkpoint } of (nth === 0 ? left : right) ?? []) {
              await putFrom(batch, "loop", head, checkpoint);
            }
          }),
        ),
      );
      expect(kept).toBe(1);
      const values = await one.getChannelValues({ threadIds: threads, channel: "a" });
      expect(values.get(threads[0] ?? "")).toEqual(values.get(threads[1] ?? ""));
      for (const [index, thread] of threads.entries()) {
        const ids = await listIds(one.list(threadConfig(thread)));
        expect(ids).toHaveLength(2);
        expect(ids[1]).toBe(idOf(heads[index] ?? {}));
      }
    }
  });
});

async function chain(
  batch: CheckpointBatch,
  heads: readonly RunnableConfig[],
  checkpoints: readonly ReturnType<typeof listCheckpoint>[],
): Promise<void> {
  for (const [index, head] of heads.entries()) {
    const next = await putFrom(batch, "fork", head, checkpoints[index]);
    await putFrom(batch, "loop", next);
  }
}

async function deleteAll(batch: CheckpointBatch, threads: readonly string[]): Promise<void> {
  for (const thread of threads.slice(0, 2)) await batch.deleteThread(thread);
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
