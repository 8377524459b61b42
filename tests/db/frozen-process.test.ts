import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it } from "@jest/globals";
import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { ManualTime } from "../../test-support/manual-time.js";
import { describeEachTarget, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

/** What the limits are that a frozen process exceeds. */
const LIMIT_MS = 50;
const HOUR_MS = 3_600_000;
const OPTIONS = { statementTimeoutMs: LIMIT_MS, retry: false } as const;

/** Several reads of a socket. */
const LARGE = "x".repeat(300_000);

/** Calls of which most wait for another of their thread, item or connection. */
const CALLS: Readonly<Record<string, (source: string | PGlite) => Promise<() => Promise<unknown>[]>>> = {
  "of a saver": async (source) => {
    const saver = new PostgresSaver(source, undefined, OPTIONS);
    const thread = threadConfig(newThread());
    const { config } = await putValues(saver, thread, { a: LARGE });
    return () => [
      putValues(saver, config, { a: LARGE }),
      ...[1, 2, 3].map((task) => saver.putWrites(config, [["a", LARGE]], `task ${task}`)),
      saver.getTuple(config),
    ];
  },
  "of a store": async (source) => {
    const store = new PostgresStore(source, OPTIONS);
    await store.setup();
    return () => [
      store.put(["a"], "k", { large: LARGE }),
      store.put(["a"], "k", { n: 2 }),
      store.get(["a"], "k"),
      store.search(["a"]),
    ];
  },
  "of a cache": async (source) => {
    const cache = new PostgresCache(source, { deadlineMs: LIMIT_MS, onError: "throw" });
    await cache.setup();
    await cache.set([{ key: [["a"], "k"], value: LARGE, ttl: 600 }]);
    return () => [
      cache.get([[["a"], "k"]]).then((found) => {
        expect(found).toHaveLength(1);
      }),
    ];
  },
};

const time = new ManualTime();
afterEach(() => {
  time.stop();
});

/** Those that failed. */
function failed(settled: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return settled.filter(({ status }) => status === "rejected");
}

describeEachTarget(
  "in a process that is frozen while calls are under way, no time limit ends those",
  (target) => {
    it.each(Object.entries(CALLS))("%s", async (_, prepare) => {
      const { source } = await target.sharedDatabase();
      const calls = await prepare(source);
      time.start();
      const settled = Promise.allSettled(calls());
      await nextTurn();
      time.freeze(HOUR_MS);
      expect(failed(await settled)).toEqual([]);
      expect(failed(await Promise.allSettled(calls()))).toEqual([]);
    });
  },
);

describeEachTarget("in a process that is frozen while a call waits for a lock", (target) => {
  it("the call gets the lock that is released then", async () => {
    const { source } = await target.sharedDatabase();
    const saver = new PostgresSaver(source);
    let release: () => void = () => undefined;
    const held = new Promise<void>((holding) => {
      void saver.withThreadLock("t", () => {
        holding();
        return new Promise<void>((resolve) => (release = resolve));
      });
    });
    await held;
    time.start();
    const waiting = saver.withThreadLock("t", () => "ran", { waitMs: LIMIT_MS });
    await until(() => time.timers.some((due) => due <= time.now + LIMIT_MS));
    time.freeze(HOUR_MS);
    release();
    expect(await waiting).toBe("ran");
    time.stop();
    if (typeof source === "string") await saver.end();
  });
});

describeServer("in a process that is frozen while calls share a single connection", (target) => {
  it("no time limit ends one, and the connection stays usable", async () => {
    const { source } = await target.sharedDatabase();
    const client = new pg.Client(source);
    await client.connect();
    const saver = new PostgresSaver(client, undefined, OPTIONS);
    const { config } = await putValues(saver, threadConfig(newThread()), { a: LARGE });
    const calls = () => [
      putValues(saver, config, { a: LARGE }),
      ...[1, 2, 3].map((task) => saver.putWrites(config, [["a", LARGE]], `task ${task}`)),
      saver.getTuple(config),
    ];
    time.start();
    const settled = Promise.allSettled(calls());
    await nextTurn();
    time.freeze(HOUR_MS);
    expect(failed(await settled)).toEqual([]);
    expect(failed(await Promise.allSettled(calls()))).toEqual([]);
    time.stop();
    await client.end();
  });
});

describeServer("in a process that is frozen while a pool opens a connection", (target) => {
  it("the time limit of the pool ends no call", async () => {
    const { source } = await target.sharedDatabase();
    const pool = new pg.Pool({ connectionString: source, connectionTimeoutMillis: LIMIT_MS });
    const saver = new PostgresSaver(pool, undefined, OPTIONS);
    time.start();
    const settled = Promise.allSettled([
      putValues(saver, threadConfig(newThread()), { a: LARGE }),
      saver.getTuple(threadConfig(newThread())),
    ]);
    await until(() => pool.totalCount > 0);
    time.freeze(HOUR_MS);
    expect(failed(await settled)).toEqual([]);
    time.stop();
    await pool.end();
  });
});
