import { expect, it } from "@jest/globals";
import type { StoreDatabase } from "../../src/db/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { recordStatements } from "../../test-support/recorded-statements.js";
import { describeAnyTarget, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { elapse } from "./elapse.js";
import { useStore } from "./stored.js";

describeAnyTarget("an item with a TTL", (target) => {
  const suite = useStore(target);

  it("is gone for every call once it has expired, and stays gone", async () => {
    const { store, database } = suite;
    await store.put(["t"], "short", { n: 1 }, undefined, { ttl: 0.5 });
    await store.put(["t"], "long", { n: 1 }, undefined, { ttl: 60 });
    await store.put(["t"], "eternal", { n: 1 });
    await store.put(["gone"], "k", { n: 1 }, undefined, { ttl: 0.5 });
    await elapse(database, 1);
    const refreshed = await store.get(["t"], "short", { refreshTtl: true });
    expect(refreshed).toBeNull();
    const found = await store.search(["t"], { refreshTtl: true, limit: 2 });
    expect(found.map(({ key }) => key).sort()).toEqual(["eternal", "long"]);
    expect(await store.listNamespaces()).toEqual([["t"]]);
    expect(await store.count([])).toBe(2);
    expect(await store.sweep()).toBe(2);
    expect(await store.sweep()).toBe(0);
    expect(await database.query("select key from store order by key")).toEqual([
      { key: "eternal" },
      { key: "long" },
    ]);
  });

  it("starts its own time again when it is read, and nothing else of it changes", async () => {
    const { database } = suite;
    const store = suite.open({ ttl: { defaultTtl: 10 } });
    await store.put(["t"], "own", { n: 1 }, undefined, { ttl: 60 });
    await store.put(["t"], "default", { n: 1 });
    await store.put(["t"], "eternal", { n: 1 }, undefined, { ttl: null });
    const before = await store.search(["t"], { refreshTtl: false });
    const minutesLeft = async () => {
      const rows = await database.query<{ key: string; left: number | null }>(
        "select key, round(extract(epoch from expires_at - now()) / 60)::int as left from store",
      );
      return Object.fromEntries(rows.map(({ key, left }) => [key, left]));
    };
    for (const read of [
      () => store.search(["t"]),
      () => store.getMany(before.map(({ namespace, key }) => ({ namespace, key }))),
      () => store.search(["t"], { query: "nothing" }),
    ]) {
      await elapse(database, 5);
      expect(await minutesLeft()).toEqual({ own: 55, default: 5, eternal: null });
      // A read writes no item that has no time.
      const eternal = "select xmin::text from store where key = 'eternal'";
      const written = await database.query(eternal);
      const items = await read();
      expect(await database.query(eternal)).toEqual(written);
      expect(items.map((item) => item?.expiresAt === undefined).filter(Boolean)).toHaveLength(1);
      expect(await minutesLeft()).toEqual({ own: 60, default: 10, eternal: null });
    }
    await store.get(["t"], "own", { refreshTtl: false });
    const after = await store.search(["t"], { refreshTtl: false });
    const unchanged = ({ key, updatedAt, version }: (typeof before)[number]) => [key, updatedAt, version];
    expect(after.map(unchanged)).toEqual(before.map(unchanged));
  });

  it("is created anew where it has expired", async () => {
    const { store, database } = suite;
    await store.put(["t"], "k", { n: 1 }, undefined, { ttl: 1 });
    await elapse(database, 2);
    await database.exec("update store set created_at = '2020-01-01'");
    await store.put(["t"], "k", { n: 2 });
    const item = await store.get(["t"], "k");
    expect(item?.createdAt.getUTCFullYear()).toBeGreaterThan(2020);
    expect(item).not.toHaveProperty("expiresAt");
  });

  it("gets it from the rule with the longest prefix, since graphs drop the arguments of a put", async () => {
    const store = suite.open({
      ttl: { defaultTtl: 10 },
      namespaces: [
        { prefix: ["a", "*", "keep"], ttl: null },
        { prefix: ["a"], ttl: 20 },
      ],
    });
    const namespaces = [["a"], ["a", "x", "keep", "y"], ["a", "x", "other"], ["b"]];
    await store.batch(namespaces.map((namespace) => ({ namespace, key: "k", value: {} })));
    const found = await store.search([]);
    const minutes = found.map(({ namespace, expiresAt }) => [
      namespace.join("."),
      expiresAt && Math.round((expiresAt.getTime() - Date.now()) / 60_000),
    ]);
    expect(Object.fromEntries(minutes)).toEqual({ a: 20, "a.x.keep.y": undefined, "a.x.other": 20, b: 10 });
  });

  it.each([0, -1, Number.NaN, "1"])("must be positive: %p is refused", async (ttl) => {
    const put = suite.store.put(["t"], "k", {}, undefined, { ttl: ttl as number });
    await expect(put).rejects.toBeInstanceOf(RangeError);
  });
});

describeServer("what is deleted in portions", (target) => {
  const suite = useStore(target);

  it.each<[string, (store: PostgresStore) => Promise<number>]>([
    ["deleteNamespace", (store) => store.deleteNamespace(["many"])],
    ["sweep", (store) => store.sweep()],
  ])("takes no more than 1,000 items of a namespace in a transaction: %s", async (_name, deletes) => {
    const { database } = suite;
    await database.exec(`insert into store (prefix, key, value, expires_at)
      select 'many', 'k' || n, '{}', now() from generate_series(1, 2500) n`);
    await using recording = recordStatements<StoreDatabase>(database.source);
    await using store = new PostgresStore(recording.kysely, { ensureTables: false });
    expect(await deletes(store)).toBe(2_500);
    expect(recording.sent.filter(({ text }) => text.includes("delete from"))).toHaveLength(3);
  });
});

describeServer("a store with an interval", (target) => {
  const suite = useStore(target);

  it.each([0, -1, 20_001, true])("refuses the interval %p", (sweepIntervalMinutes) => {
    expect(() => suite.open({ ttl: { sweepIntervalMinutes: sweepIntervalMinutes as number } })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", field: "options.ttl.sweepIntervalMinutes" }),
    );
  });

  it("sweeps on demand with false", async () => {
    const store = suite.open({ ttl: { sweepIntervalMinutes: false } });
    await store.put(["t"], "k", {}, undefined, { ttl: 0.0001 });
    await until(async () => (await store.sweep()) === 1);
  });

  it("sweeps by itself", async () => {
    const { database } = suite;
    const store = suite.open({ ttl: { sweepIntervalMinutes: 0.0005 } });
    await store.put(["t"], "k", {}, undefined, { ttl: 0.0001 });
    await until(async () => (await database.query("select key from store")).length === 0);
  });
});
