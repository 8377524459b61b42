import { expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { PostgresCache } from "../../src/cache/index.js";
import { freePort } from "../../test-support/free-port.js";
import { observedPool } from "../../test-support/round-trips.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { useCache } from "./cached.js";

const KEY: CacheFullKey = [["ns"], "k"];
const LONG_MS = 600_000;

describeServer("a cache whose database does not answer", (target) => {
  const suite = useCache(target);

  /** A cache on a port that nobody listens on. */
  async function unreachable(options: ConstructorParameters<typeof PostgresCache>[1] = {}) {
    const logger = new RecordingLogger();
    const source = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const cache = suite.closing(
      new PostgresCache(source, { logger, deadlineMs: 50, retryAfterMs: LONG_MS, ...options }),
    );
    return { cache, logger };
  }

  it("finds and stores nothing, never rejects, and tries once", async () => {
    const { cache, logger } = await unreachable();
    for (let n = 0; n < 20; n++) {
      expect(await cache.get([KEY, [["ns"], "other"]])).toEqual([]);
      await cache.set([{ key: KEY, value: n }]);
    }
    expect(cache.counts).toMatchObject({ skipped: 60, miss: 0, stored: 0 });
    expect(logger.at("error").map(({ message }) => message)).toContain("cache.get failed");
    expect(logger.at("error").filter(({ message }) => /cache\.(get|set)/.test(message))).toHaveLength(1);
    expect(logger.at("warn").filter(({ message }) => message.includes("is not used"))).toHaveLength(1);
  });

  it("rejects a `get` with onError throw, and no `set` even then", async () => {
    const { cache } = await unreachable({ onError: "throw" });
    await expect(cache.get([KEY])).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    await expect(cache.get([KEY])).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    await expect(cache.set([{ key: KEY, value: 1 }])).resolves.toBeUndefined();
  });

  it("rejects a `clear`, since the entries may still be there", async () => {
    const { cache } = await unreachable({ retry: false });
    await expect(cache.clear([])).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });

  it("waits no longer than its deadline for one that hangs, and uses it again when it answers", async () => {
    const proxy = await TcpProxy.open(suite.database.source);
    const logger = new RecordingLogger();
    const cache = suite.closing(
      new PostgresCache(proxy.url, { logger, deadlineMs: LONG_MS, ensureTables: false }),
    );
    await cache.set([{ key: KEY, value: 1 }]);
    expect(await cache.get([KEY])).toHaveLength(1);

    const hasty = suite.closing(
      new PostgresCache(proxy.url, { logger, deadlineMs: 30, retryAfterMs: 1, ensureTables: false }),
    );
    const resume = proxy.stall();
    expect(await hasty.get([KEY])).toEqual([]);
    expect(await hasty.get([KEY])).toEqual([]);
    expect(hasty.counts.skipped).toBe(2);
    resume();
    await until(async () => (await hasty.get([KEY])).length === 1);
    expect(logger.at("info").map(({ message }) => message)).toContain("the cache is used again");
    await Promise.all([hasty.end(), cache.end()]);
    await proxy.close();
  });

  it("finds nothing where its table is missing, and says so once", async () => {
    const logger = new RecordingLogger();
    const cache = suite.open({ schema: "elsewhere", ensureTables: false, logger, retryAfterMs: LONG_MS });
    await cache.set([{ key: KEY, value: 1 }]);
    expect(await cache.get([KEY])).toEqual([]);
    expect(logger.at("error")).toMatchObject([{ fields: { operation: "cache.set" } }]);
  });

  it("stays in use after an error that only the values of a call caused", async () => {
    const { database } = suite;
    await database.exec("alter table cache_entries add constraint even check (size % 2 = 0) not valid");
    const cache = suite.open({ retryAfterMs: LONG_MS });
    await cache.set([{ key: KEY, value: "a" }]);
    await cache.set([{ key: KEY, value: "ab" }]);
    await database.exec("alter table cache_entries drop constraint even");
    expect(cache.counts).toMatchObject({ stored: 1, skipped: 1 });
    expect(await cache.get([KEY])).toHaveLength(1);
  });

  it("finds and stores nothing after its end, and does not reject", async () => {
    const cache = suite.open();
    await cache.end();
    await cache.set([{ key: KEY, value: 1 }]);
    expect(await cache.get([KEY])).toEqual([]);
  });
});

describeServer("a cache on a pool", (target) => {
  const suite = useCache(target);

  it("takes one round trip for a call, and leaves the pool open", async () => {
    const { pool, sent } = observedPool(suite.database.source);
    const cache = suite.closing(new PostgresCache(pool, { sweepIntervalMinutes: false }));
    await cache.setup();
    sent.length = 0;
    await cache.set([
      { key: KEY, value: 1, ttl: 0 },
      { key: [["ns"], "l"], value: 1 },
    ]);
    await cache.get([KEY, [["ns"], "l"]]);
    await cache.clear([["ns"], ["other"]]);
    await cache.clearPrefix(["ns"]);
    expect(sent).toHaveLength(4);
    await cache.get([]);
    await cache.set([]);
    expect(sent).toHaveLength(4);
    await cache.end();
    expect(pool.ended).toBe(false);
    await pool.end();
  });
});
