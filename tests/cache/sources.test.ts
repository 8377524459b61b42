import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { createPgliteFolder } from "../../test-support/pglite-target.js";
import { describeEachTarget, describeServer } from "../../test-support/targets.js";
import { useCache } from "./cached.js";
import type { CacheDatabase } from "../../src/db/index.js";

const KEY: CacheFullKey = [["ns"], "k"];
const PAIR = { key: KEY, value: [["channel", { n: 1 }]] };

describeEachTarget("a cache", (target) => {
  const suite = useCache(target);

  it("uses a Kysely that it is given, and leaves it open", async () => {
    const kysely = suite.database.kysely<CacheDatabase>();
    const cache = suite.closing(new PostgresCache(kysely, { deadlineMs: 120_000 }));
    await cache.set([PAIR]);
    expect(await cache.get([KEY])).toEqual([PAIR]);
    await cache.end();
    const { size } = await kysely.selectFrom("cache_entries").select("size").executeTakeFirstOrThrow();
    expect(size).toBeGreaterThan(0);
  });

  it("is part of a transaction that it is given", async () => {
    const kysely = suite.database.kysely<CacheDatabase>();
    const rolledBack = kysely.transaction().execute(async (transaction) => {
      const cache = new PostgresCache(transaction, { deadlineMs: 120_000 });
      await cache.set([PAIR]);
      expect(await cache.get([KEY])).toEqual([PAIR]);
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    expect(await suite.cache.get([KEY])).toEqual([]);
  });

  it("creates its table by the first call of any of several caches", async () => {
    const { database } = suite;
    await database.exec("create schema fresh");
    const caches = Array.from({ length: 4 }, () => suite.open({ schema: "fresh" }));
    await Promise.all(caches.map((cache) => cache.set([PAIR])));
    expect(await caches[0]?.get([KEY])).toEqual([PAIR]);
    const persistence = await database.query(
      "select relpersistence::text as p from pg_class where oid = 'fresh.cache_entries'::regclass",
    );
    expect(persistence).toEqual([{ p: "u" }]);
    await database.exec("drop schema fresh cascade");
  });

  it("creates a logged table by the option unlogged", async () => {
    const { database } = suite;
    await database.exec("create schema kept");
    await suite.open({ schema: "kept", unlogged: false }).setup();
    const persistence = await database.query(
      "select relpersistence::text as p from pg_class where oid = 'kept.cache_entries'::regclass",
    );
    expect(persistence).toEqual([{ p: "p" }]);
    await database.exec("drop schema kept cascade");
  });

  it("shares its source with a saver and a store", async () => {
    const { source } = suite.database;
    const [saver, store] = [new PostgresSaver(source), new PostgresStore(source)];
    await saver.setup();
    await Promise.all([
      putValues(saver, threadConfig("t"), { a: 1 }),
      store.put(["ns"], "k", { n: 1 }),
      suite.cache.set([PAIR]),
    ]);
    await suite.cache.clear([]);
    expect(await store.get(["ns"], "k")).toMatchObject({ value: { n: 1 } });
    expect(await saver.getTuple(threadConfig("t"))).toBeDefined();
    await Promise.all([saver.end(), store.end()]);
  });

  it.each([
    ["keyPrefix", ""],
    ["deadlineMs", 0],
    ["maxEntries", 0.5],
    ["defaultTtl", -1],
    ["sweepIntervalMinutes", 0],
    ["onError", "ignore"],
    ["ttl", 60],
  ])("refuses the option %s: %p", (name, value) => {
    expect(() => new PostgresCache(suite.database.source, { [name]: value })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", field: `options.${name}` }),
    );
  });
});

describeServer("a cache whose connections are lost", (target) => {
  const suite = useCache(target);

  it("finds its entries on other connections", async () => {
    await suite.cache.set([PAIR]);
    await suite.database.exec(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    expect(await suite.cache.get([KEY])).toEqual([PAIR]);
  });
});

describe("a cache on a folder", () => {
  it("keeps its entries over a restart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cache-"));
    await createPgliteFolder(folder);
    for (const expected of [[], [PAIR]]) {
      await using cache = PostgresCache.fromConnString(`file://${folder}`);
      expect(await cache.get([KEY])).toEqual(expected);
      await cache.set([PAIR]);
    }
    await rm(folder, { recursive: true });
  });
});
