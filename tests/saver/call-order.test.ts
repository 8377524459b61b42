import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver, ThreadExistsError } from "../../src/index.js";
import { collect, metadataOf, nextId, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const THREADS = ["1", "2", "3"];
const IDS = Array.from({ length: 4 }, () => nextId());

/** The ids of the checkpoints of each thread. */
type Threads = Map<string, ReadonlySet<string>>;

/** A call, and what it does to the threads when no other one runs. */
interface Step {
  readonly kind: string;
  readonly call: (saver: PostgresSaver) => Promise<unknown>;
  readonly apply: (threads: Threads) => void;
}

type Write = Pick<PostgresSaver, "put">;

const checkpointOf = (id: string) => ({
  v: 4,
  id,
  ts: "2026-01-01T00:00:00.000Z",
  channel_values: { text: id },
  channel_versions: { text: IDS.indexOf(id) + 1 },
  versions_seen: {},
});

function put(target: Write, thread: string, id: string): Promise<unknown> {
  return target.put(threadConfig(thread), checkpointOf(id), metadataOf(), { text: IDS.indexOf(id) + 1 });
}

const idsOf = (threads: Threads, thread: string): ReadonlySet<string> => threads.get(thread) ?? new Set();

function ignoreConflict(error: unknown): void {
  if (!(error instanceof ThreadExistsError)) throw error;
}

const anyThread = fc.constantFrom(...THREADS);
const anyPut = fc.record({ thread: anyThread, id: fc.constantFrom(...IDS) });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  anyPut.map(({ thread, id }): Step => ({
    kind: "put",
    call: (saver) => put(saver, thread, id),
    apply: (threads) => threads.set(thread, new Set([...idsOf(threads, thread), id])),
  })),
  anyThread.map((thread): Step => ({
    kind: "deleteThread",
    call: (saver) => saver.deleteThread(thread),
    apply: (threads) => threads.delete(thread),
  })),
  fc
    .record({ deleted: fc.option(anyThread), puts: fc.array(anyPut, { maxLength: 2 }) })
    .map(({ deleted, puts }): Step => ({
      kind: "batch",
      call: (saver) =>
        saver.batch(async (batch) => {
          if (deleted !== null) await batch.deleteThread(deleted);
          for (const { thread, id } of puts) await put(batch, thread, id);
        }),
      apply: (threads) => {
        if (deleted !== null) threads.delete(deleted);
        for (const { thread, id } of puts) threads.set(thread, new Set([...idsOf(threads, thread), id]));
      },
    })),
  fc.uniqueArray(anyThread, { minLength: 2, maxLength: 2 }).map(([source = "", target = ""]): Step => ({
    kind: "copyThread",
    call: (saver) => saver.copyThread(source, target).catch(ignoreConflict),
    apply: (threads) => {
      const copied = idsOf(threads, source);
      const isOther = [...idsOf(threads, target)].some((id) => !copied.has(id));
      if (!isOther) threads.set(target, copied);
    },
  })),
  fc.uniqueArray(anyThread, { minLength: 1 }).map((pruned): Step => ({
    kind: "prune",
    call: (saver) => saver.prune(pruned, { strategy: "delete" }),
    apply: (threads) => {
      for (const thread of pruned) threads.delete(thread);
    },
  })),
);

describeEachTarget("the calls of a saver that nobody awaits", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  const stored = async (of = saver): Promise<Threads> => {
    const threads: Threads = new Map();
    for (const thread of THREADS) {
      const tuples = await collect(of.list(threadConfig(thread)));
      if (tuples.length > 0) threads.set(thread, new Set(tuples.map(({ checkpoint }) => checkpoint.id)));
    }
    return threads;
  };
  const withoutEmpty = (threads: Threads): Threads => new Map([...threads].filter(([, ids]) => ids.size > 0));

  it("leave what they leave one after another (C19)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 10 }), async (steps) => {
        const threads = await stored();
        for (const { apply } of steps) apply(threads);
        await Promise.all(steps.map(({ call }) => call(saver)));
        expect(await stored()).toEqual(withoutEmpty(threads));
      }),
      runs(40),
    );
  });

  it("settle where the function of a batch waits for another call, or two batches name threads in turns", async () => {
    await saver.batch(async (batch) => {
      await put(batch, "1", IDS[0] ?? "");
      await put(saver, "1", IDS[1] ?? "");
      await put(batch, "2", IDS[0] ?? "");
    });
    const namesBoth = (first: string, second: string) =>
      saver.batch(async (batch) => {
        await put(batch, first, IDS[2] ?? "");
        for (let turn = 0; turn < 3; turn++) await nextTurn();
        await put(batch, second, IDS[2] ?? "");
      });
    await Promise.all([namesBoth("1", "2"), namesBoth("2", "1")]);
    expect((await stored()).get("1")).toEqual(new Set([IDS[0], IDS[1], IDS[2]]));
    await saver.prune(THREADS, { strategy: "delete" });
  });

  it("end with the error of a batch, and let the calls behind it go on", async () => {
    const failing = saver.batch(async (batch) => {
      await batch.deleteThread("1");
      throw new Error("refused");
    });
    const last = put(saver, "1", IDS[0] ?? "");
    await expect(failing).rejects.toThrow("refused");
    await last;
    await expect(saver.batch(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    await saver.deleteThread("1");
    expect(await stored()).toEqual(new Map());
  });
});

describeServer("the calls of a saver on a transaction that nobody awaits", (target) => {
  it("keep their order", async () => {
    const database = await target.migratedDatabase();
    const pool = new pg.Pool({ connectionString: database.source });
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    await db.transaction().execute(async (transaction) => {
      const saver = new PostgresSaver(transaction);
      const [first = "", second = ""] = IDS;
      await Promise.all([
        put(saver, "1", first),
        saver.deleteThread("1"),
        saver.batch((batch) => put(batch, "1", second)),
        saver.copyThread("1", "2"),
        saver.deleteThread("1"),
      ]);
      const ids = async (thread: string) =>
        (await collect(saver.list(threadConfig(thread)))).map(({ checkpoint }) => checkpoint.id);
      expect([await ids("1"), await ids("2")]).toEqual([[], [second]]);
    });
    await db.destroy();
  });
});
