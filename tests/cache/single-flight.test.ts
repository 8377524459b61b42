import { expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { freePort } from "../../test-support/free-port.js";
import { Gate } from "../../test-support/gate.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeEachTarget, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { withClient } from "../../test-support/with-client.js";
import { later, useCache } from "./cached.js";

const NAMESPACE = ["squares"];

describeEachTarget("a wrapped function", (target) => {
  const suite = useCache(target);

  it("runs once for equal calls at the same time, on any number of caches", async () => {
    const gate = new Gate();
    const caches = [suite.cache, suite.open(), suite.open()];
    let runs = 0;
    const square = async (n: number) => {
      runs++;
      await gate.opened;
      return { square: n * n };
    };
    const wrapped = caches.map((cache) => cache.wrap(square, { namespace: NAMESPACE }));
    const results = wrapped.flatMap((call) => Array.from({ length: 4 }, () => call(7)));
    await until(() => runs === 1);
    gate.open();
    expect(await Promise.all(results)).toEqual(Array(12).fill({ square: 49 }));
    expect(runs).toBe(1);
    expect(await suite.database.query("select type from cache_entries")).toHaveLength(1);
  });

  it("keeps results apart by arguments and by namespace", async () => {
    const list = (...args: readonly unknown[]) => args.length;
    const one = suite.cache.wrap(list, { namespace: ["one"] });
    const other = suite.cache.wrap((...args: readonly unknown[]) => -args.length, { namespace: ["other"] });
    expect(await one(new Set([1]))).toBe(1);
    expect(await one(new Set([2]), 10n)).toBe(2);
    expect(await one(new Map(), new Date(0), undefined)).toBe(3);
    expect(await other(new Set([1]))).toBe(-1);
    expect(await suite.database.query("select type from cache_entries")).toHaveLength(4);
  });

  it("caches nothing of a call that failed, and lets the next one run", async () => {
    let runs = 0;
    const flaky = suite.cache.wrap(
      () => {
        if (++runs === 1) throw new Error("first");
        return null;
      },
      { namespace: NAMESPACE, key: () => "flaky" },
    );
    await expect(flaky()).rejects.toThrow("first");
    expect(await suite.database.query("select key from cache_entries")).toEqual([]);
    expect([await flaky(), await flaky()]).toEqual([null, null]);
    expect(runs).toBe(2);
  });

  it("waits for a crashed call only as long as its lease", async () => {
    const { cache, database } = suite;
    const gate = new Gate();
    const crashed = cache.wrap(() => gate.opened, {
      namespace: NAMESPACE,
      key: () => "k",
      leaseSeconds: 600,
    });
    const running = crashed();
    await until(async () => (await database.query("select key from cache_entries")).length === 1);
    const next = cache.wrap(() => "next", { namespace: NAMESPACE, key: () => "k" })();
    await database.exec("update cache_entries set expires_at = now() - interval '1 second'");
    expect(await next).toBe("next");
    gate.open();
    await running;
  });

  it("has the whole lease of a crashed call, which that call does not end if it lives on", async () => {
    const { cache, database } = suite;
    const [first, second] = [new Gate(), new Gate()];
    const options = { namespace: NAMESPACE, key: () => "k", leaseSeconds: 600 };
    let runs = 0;
    const failing = cache.wrap(async () => {
      await first.opened;
      throw new Error("too late");
    }, options)();
    await until(async () => (await database.query("select key from cache_entries")).length === 1);
    await database.exec(
      "update cache_entries set expires_at = now() - interval '1 second', created_at = now() - interval '1 day'",
    );
    const next = cache.wrap(async () => {
      runs += 1;
      await second.opened;
      return "next";
    }, options);
    const waiting = [next()];
    await until(() => runs === 1);
    first.open();
    await expect(failing).rejects.toThrow("too late");
    expect(
      await database.query(`select type, expires_at > now() + interval '500 seconds' as lasts,
        created_at > now() - interval '500 seconds' as is_new from cache_entries`),
    ).toEqual([{ type: "lease", lasts: true, is_new: true }]);
    waiting.push(next());
    second.open();
    expect(await Promise.all(waiting)).toEqual(["next", "next"]);
    expect(runs).toBe(1);
    expect(await database.query("select type from cache_entries where type = 'lease'")).toEqual([]);
  });

  it("runs again when its entry has expired, and stores it for as long again", async () => {
    let runs = 0;
    const call = suite.cache.wrap(() => ++runs, { namespace: NAMESPACE, key: () => "k", ttl: 60 });
    expect([await call(), await call()]).toEqual([1, 1]);
    await suite.database.exec(later(61));
    expect([await call(), await call()]).toEqual([2, 2]);
  });

  it("computes the result itself where another call takes longer than the lease", async () => {
    const { cache, database } = suite;
    const gate = new Gate();
    const slow = cache.wrap(() => gate.opened, { namespace: NAMESPACE, key: () => "k", leaseSeconds: 600 })();
    await until(async () => (await database.query("select key from cache_entries")).length === 1);
    const next = cache.wrap(() => "next", { namespace: NAMESPACE, key: () => "k", leaseSeconds: 0.001 });
    expect(await next()).toBe("next");
    gate.open();
    await slow;
    expect(await database.query("select type from cache_entries where type = 'lease'")).toEqual([]);
  });

  it("stores within the bounds of its cache", async () => {
    const cache = suite.open({ maxEntries: 1 });
    const square = cache.wrap((n: number) => n * n, { namespace: NAMESPACE });
    for (const n of [1, 2, 3]) await square(n);
    await until(async () => (await suite.database.query("select key from cache_entries")).length === 1);
  });

  it("runs without the cache where its arguments can't be hashed, or its results can't be stored", async () => {
    const cache = suite.open();
    const call = cache.wrap((run: () => number) => run(), { namespace: NAMESPACE });
    expect(await call(() => 1)).toBe(1);
    const make = cache.wrap(() => () => 2, { namespace: NAMESPACE });
    expect((await make())()).toBe(2);
    expect(cache.counts).toMatchObject({ refused: 2, stored: 0 });
  });
});

describeServer("a wrapped function that waits for the lease of another call", (target) => {
  const suite = useCache(target);

  it("takes the entry that was stored while it waited", async () => {
    const gate = new Gate();
    const options = { namespace: NAMESPACE, key: () => "k", leaseSeconds: 600 };
    const first = suite.cache.wrap(async () => {
      await gate.opened;
      return "first";
    }, options)();
    const entries = (type: string) =>
      suite.database.query("select key from cache_entries where type " + type);
    await until(async () => (await entries("= 'lease'")).length === 1);
    await withClient(suite.database.source, async (client) => {
      // As the first call ends its lease, but slowly: the second call does not see the entry yet, and waits.
      await client.query("begin; delete from cache_entries where type = 'lease'");
      const second = suite.open().wrap(() => "second", options)();
      await untilOneWaits(suite.database);
      gate.open();
      await until(async () => (await entries("<> 'lease'")).length === 1);
      await client.query("commit");
      expect(await Promise.all([first, second])).toEqual(["first", "first"]);
    });
    expect(await entries("= 'lease'")).toEqual([]);
  });
});

describeServer("a wrapped function whose connection is lost", (target) => {
  const suite = useCache(target);

  it("does not wait for its own lease", async () => {
    const proxy = await TcpProxy.open(suite.database.source);
    const cache = suite.closing(
      new PostgresCache(proxy.url, { deadlineMs: 120_000, ensureTables: false, sweepIntervalMinutes: false }),
    );
    await cache.get([[NAMESPACE, "k"]]);
    const call = cache.wrap(() => "computed", { namespace: NAMESPACE, key: () => "k", leaseSeconds: 600 });
    proxy.cutNext("toClient");
    expect(await call()).toBe("computed");
    expect(await suite.database.query("select key from cache_entries")).toHaveLength(1);
    await cache.end();
    await proxy.close();
  });
});

describeServer("a wrapped function whose cache does not answer", (target) => {
  const suite = useCache(target);

  it("runs each time, or rejects with onError throw", async () => {
    const source = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const open = (onError: "miss" | "throw") =>
      suite.closing(new PostgresCache(source, { deadlineMs: 20, onError }));
    let runs = 0;
    const count = () => ++runs;
    const missing = open("miss").wrap(count, { namespace: NAMESPACE });
    expect([await missing(), await missing(), await missing()]).toEqual([1, 2, 3]);
    await expect(open("throw").wrap(count, { namespace: NAMESPACE })()).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
    });
    expect(runs).toBe(3);
  });
});
