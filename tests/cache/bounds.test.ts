import { expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { sql } from "kysely";
import { PostgresCache } from "../../src/cache/index.js";
import { describeAnyTarget, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { later, useCache } from "./cached.js";

/** What the process that sweeps holds. */
const LOCK = "langgraph-checkpoint-kysely cache public";

const at = (key: string): CacheFullKey => [["ns"], key];
const names = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `k${n + from}`);

describeAnyTarget("the bounds of a cache", (target) => {
  const suite = useCache(target);

  /** The keys of the entries that are left, in the order of their names. */
  async function left(where = "true"): Promise<unknown[]> {
    const rows = await suite.database.query(
      `select key from cache_entries where ${where} order by length(key), key`,
    );
    return rows.map(({ key }) => key);
  }

  it("delete the entries that expire first, then the oldest ones", async () => {
    const { cache } = suite;
    const bounded = suite.open({ maxEntries: 3 });
    await cache.set([{ key: at("oldest"), value: 1 }]);
    await cache.set([{ key: at("late"), value: 1, ttl: 90 }]);
    await cache.set([{ key: at("soon"), value: 1, ttl: 10 }]);
    await cache.set([{ key: at("newer"), value: 1 }]);
    await cache.set([{ key: at("newest"), value: 1 }]);
    expect(await bounded.sweep()).toBe(2);
    expect(await left()).toEqual(["newer", "newest", "oldest"]);
    await cache.set([{ key: at("another"), value: 1 }]);
    expect(await bounded.sweep()).toBe(1);
    expect(await left()).toEqual(["newer", "newest", "another"].sort((a, b) => a.length - b.length));
    expect(await bounded.sweep()).toBe(0);
  });

  it("keep what was stored again before what was stored once", async () => {
    const { cache } = suite;
    for (const key of ["again", "once", "again"]) await cache.set([{ key: at(key), value: 1 }]);
    expect(await suite.open({ maxEntries: 1 }).sweep()).toBe(1);
    expect(await left()).toEqual(["again"]);
  });

  it("count bytes as they are stored", async () => {
    const { cache } = suite;
    for (const key of names(5)) await cache.set([{ key: at(key), value: Buffer.alloc(1_000) }]);
    const [{ size } = { size: 0 }] = await suite.database.query<{ size: number }>(
      "select size from cache_entries",
    );
    expect(await suite.open({ maxBytes: 5 * size }).sweep()).toBe(0);
    expect(await suite.open({ maxBytes: 5 * size - 1 }).sweep()).toBe(1);
    expect(await left()).toEqual(names(4, 1));
    expect(await suite.open({ maxBytes: 3 * size, maxEntries: 9 }).sweep()).toBe(1);
    expect(await suite.open({ maxBytes: 2 * size + 1 }).sweep()).toBe(1);
    expect(await left()).toEqual(names(2, 3));
    expect(await suite.open({ maxBytes: 1 }).sweep()).toBe(2);
  });

  it("apply to the entries of a keyPrefix, and expired entries of all of them are swept", async () => {
    const { cache, database } = suite;
    const graph = suite.open({ keyPrefix: "graph", maxEntries: 1 });
    await cache.set(names(3).map((key) => ({ key: at(key), value: 1 })));
    await cache.set([{ key: at("expired"), value: 1, ttl: 1 }]);
    await database.exec(later(1));
    for (const key of names(3)) await graph.set([{ key: at(key), value: 1 }]);
    await graph.sweep();
    await until(async () => (await left("namespace like '\"graph\"%'")).length === 1);
    expect(await left("namespace like '[%'")).toEqual(names(3));
  });

  it("hold without a sweep, after a tenth of them was stored", async () => {
    const cache = suite.open({ maxEntries: 50 });
    await cache.set(names(60).map((key) => ({ key: at(key), value: 1 })));
    await until(async () => (await left()).length === 50);
    await cache.set(names(4, 60).map((key) => ({ key: at(key), value: 1 })));
    expect(await left()).toHaveLength(54);
    await cache.set([{ key: at("last"), value: 1 }]);
    await until(async () => (await left()).length === 50);
  });

  it("delete any number of entries, in batches", async () => {
    const { database } = suite;
    await database.exec(`insert into cache_entries
      select '["ns"]', 'k' || n, 'null', '', 0, now() - n * interval '1 second', null from generate_series(1, 5500) n`);
    await database.exec(`insert into cache_entries
      select '["ns"]', 'old' || n, 'null', '', 0, now(), now() from generate_series(1, 1500) n`);
    expect(await suite.cache.sweep()).toBe(1_500);
    await database.exec(
      "update cache_entries set expires_at = now() + interval '1 hour' where key in ('k1', 'k2', 'k3')",
    );
    expect(await suite.open({ maxEntries: 5_498 }).sweep()).toBe(2);
    expect(await left("expires_at is not null")).toHaveLength(1);
    await database.exec("update cache_entries set expires_at = null");
    expect(await suite.open({ maxEntries: 10 }).sweep()).toBe(5_488);
    expect((await left()).slice(1)).toEqual(names(9, 4));
  });

  it("delete entries of the same time by their places, also where a batch ends among them", async () => {
    const { database } = suite;
    await database.exec(`insert into cache_entries
      select case when n % 2 = 0 then '["ms"]' else '["ns"]' end, 'k' || n, 'null', '', 0, '2026-01-01', null
      from generate_series(1, 5500) n`);
    const last = `select key from cache_entries order by namespace collate "C" desc, key collate "C" desc limit 400`;
    const kept = await database.query(last);
    expect(await suite.open({ maxEntries: 400 }).sweep()).toBe(5_100);
    expect(await database.query(last)).toEqual(kept);
  });
});

describeServer("a sweep", (target) => {
  const suite = useCache(target);

  it("does nothing while another process sweeps", async () => {
    const { database } = suite;
    const cache = suite.open({ maxEntries: 1 });
    await suite.cache.set([
      { key: at("expired"), value: 1, ttl: 1 },
      { key: at("a"), value: 1 },
      { key: at("b"), value: 1 },
    ]);
    await database.exec(later(1));
    const kysely = database.kysely();
    await kysely.transaction().execute(async (transaction) => {
      await transaction
        .selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.as("is_alone"))
        .execute();
      expect(await cache.sweep()).toBe(0);
    });
    expect(await cache.sweep()).toBe(2);
  });

  it("waits for no entry that another transaction holds, and evicts the next ones instead", async () => {
    const { database } = suite;
    for (const name of ["a", "b", "c"]) await suite.cache.set([{ key: at(name), value: 1 }]);
    const options = "-c lock_timeout=100ms";
    const cache = suite.closing(
      new PostgresCache(
        { connectionString: database.source, options },
        { maxEntries: 1, deadlineMs: 120_000 },
      ),
    );
    await database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        await sql`select from cache_entries order by created_at limit 1 for update`.execute(transaction);
        expect(await cache.sweep()).toBe(2);
      });
    expect(await database.query("select key from cache_entries")).toEqual([{ key: at("a")[1] }]);
  });

  it("evicts no more than the excess while others sweep, since it counts in the statement after its lock (C7)", async () => {
    const caches = Array.from({ length: 6 }, () => suite.open({ maxEntries: 10 }));
    for (let round = 0; round < 40; round++) {
      await suite.cache.set(names(30).map((key) => ({ key: at(key), value: round })));
      const evicted = await Promise.all(caches.map((cache) => cache.sweep()));
      expect(evicted.reduce((sum, count) => sum + count)).toBe(20);
    }
  });

  it("happens by itself at an interval", async () => {
    const cache = suite.open({ sweepIntervalMinutes: 0.0005 });
    await cache.set([{ key: at("k"), value: 1, ttl: 0.001 }]);
    await until(async () => (await suite.database.query("select key from cache_entries")).length === 0);
  });
});
