import { describe, expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { PostgresCache } from "../../src/cache/index.js";
import { loadBuilds } from "../../test-support/builds.js";
import { startEmbeddedServer } from "../../test-support/embedded-server.js";
import { until } from "../../test-support/until.js";

const KEY: CacheFullKey = [["ns"], "k"];
const PAIR = { key: KEY, value: { n: 1 } };

describe("a cache whose server crashes", () => {
  it("finds nothing meanwhile, and goes on when the server is back, empty unless its table is logged", async () => {
    const server = await startEmbeddedServer();
    const options = { deadlineMs: 120_000, sweepIntervalMinutes: false } as const;
    const builds = await loadBuilds("cache");
    const caches = builds.map(([build, ours]) => {
      const unlogged = build === "require";
      const schema = unlogged ? "unlogged" : "logged";
      return new ours.PostgresCache(server.url, { ...options, schema, unlogged });
    });
    // The retries of a patient one would wait for the restart.
    const hasty = new PostgresCache(server.url, {
      ...options,
      schema: "unlogged",
      deadlineMs: 20,
      retryAfterMs: 10,
    });
    for (const cache of caches) {
      await cache.setup();
      await cache.set([PAIR]);
      expect(await cache.get([KEY])).toEqual([PAIR]);
    }
    await server.crash();
    expect(await hasty.get([KEY])).toEqual([]);
    await hasty.set([PAIR]);
    await server.start();

    const [logged, unlogged] = caches;
    expect(await unlogged?.get([KEY])).toEqual([]);
    expect(await logged?.get([KEY])).toEqual([PAIR]);
    await unlogged?.set([PAIR]);
    await until(async () => (await hasty.get([KEY])).length === 1);
    await Promise.all([...caches, hasty].map((cache) => cache.end()));
    await server.remove();
  });
});
