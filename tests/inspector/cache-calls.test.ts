import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { documentedSql } from "../tenants/documented-sql.js";
import { NO_ROW_SECURITY, openTenancy } from "../tenants/tenancy.js";

describeEachTarget("cache calls of the inspector", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let plain: PostgresCache;
  let research: PostgresCache;
  let calls: InspectorCalls;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    plain = new PostgresCache(database.source);
    research = new PostgresCache(database.source, { keyPrefix: 'research "2"' });
    calls = new InspectorCalls(saver, { write: true });
  });
  afterAll(async () => {
    await Promise.all([saver.end(), plain.end(), research.end()]);
  });

  it("find no cache before its table exists, and create none", async () => {
    expect(await calls.read("overview", {})).toMatchObject({ hasCache: false });
    expect(await calls.refusal("cacheNamespaces", {})).toEqual([400, "INVALID_CONFIG"]);
    expect(await database.query("select 1 from pg_tables where tablename = 'cache_entries'")).toEqual([]);
    await plain.setup();
    expect(await calls.read("overview", {})).toMatchObject({ hasCache: true });
    expect(await calls.read("cacheNamespaces", {})).toEqual({ namespaces: [] });
  });

  const RESEARCH = '"research \\"2\\""';
  const NODES = `${RESEARCH}["writes","search"]`;

  beforeEach(async () => {
    if (!(await calls.read("overview", {})).hasCache) return;
    await database.query("delete from cache_entries");
    await plain.set([{ key: [["nodes"], "a"], value: 1 }]);
    await research.set([
      { key: [["writes", "search"], "old"], value: { n: 1 }, ttl: 3_600 },
      { key: [["writes", "search"], "new"], value: { n: 2 } },
      { key: [["writes", "other"], "k"], value: { n: 3 } },
    ]);
    await database.query(
      `update cache_entries set created_at = created_at - interval '1 day' where key = 'old'`,
    );
  });

  const namespaces = async () => (await calls.read("cacheNamespaces", {})).namespaces;
  const left = async () => {
    const rows = await database.query(
      "select namespace || key as id from cache_entries order by namespace, key",
    );
    return rows.map(({ id }) => id);
  };

  it("sum up namespaces with their prefixes, and leave out leases", async () => {
    await database.query(`insert into cache_entries (namespace, key, type, value, size, expires_at)
      values ('["nodes"]', 'gone', 'json', '1', 1, now() - interval '1 s'), ('lease["nodes"]', 'a', 'lease', '', 0, null)`);
    const at = expect.any(Number);
    const keyPrefix = 'research "2"';
    expect(await namespaces()).toEqual([
      {
        ...{ namespace: `${RESEARCH}["writes","other"]`, keyPrefix, labels: ["writes", "other"] },
        ...{ entries: 1, expired: 0, bytes: at, oldestAt: at, newestAt: at },
      },
      {
        ...{ namespace: NODES, keyPrefix, labels: ["writes", "search"], entries: 2, expired: 0 },
        ...{ bytes: at, oldestAt: at, newestAt: at, nextExpiryAt: at },
      },
      {
        ...{ namespace: '["nodes"]', labels: ["nodes"], entries: 1, expired: 1 },
        ...{ bytes: at, oldestAt: at, newestAt: at },
      },
    ]);
    const [, searches] = await namespaces();
    expect((searches?.newestAt ?? 0) - (searches?.oldestAt ?? 0)).toBeGreaterThan(86_000_000);
    const first = await calls.read("cacheNamespaces", { limit: 1 });
    expect(first.next).toBe(`${RESEARCH}["writes","other"]`);
    expect((await calls.read("cacheNamespaces", { limit: 1, after: first.next })).namespaces).toEqual([
      searches,
    ]);
  });

  it("list entries, the newest first, and read their values part by part", async () => {
    await research.set([{ key: [["writes", "search"], "large"], value: "x".repeat(100_000) }]);
    const { entries, hasMore, labels } = await calls.read("cacheEntries", { namespace: NODES, limit: 2 });
    expect([labels, hasMore]).toEqual([["writes", "search"], true]);
    expect(entries).toEqual([
      // A list reads no large values.
      { key: "large", createdAt: expect.any(Number), isExpired: false, bytes: expect.any(Number) },
      {
        ...{ key: "new", createdAt: expect.any(Number), isExpired: false, bytes: expect.any(Number) },
        value: { type: "object", text: "{n: 2}", size: 1, isCut: false },
      },
    ]);
    const one = await calls.read("cacheEntries", { namespace: NODES, key: "old" });
    expect(one.entries).toMatchObject([{ key: "old", expiresAt: expect.any(Number) }]);
    const place = { kind: "entry", namespace: NODES, key: "large" } as const;
    expect((await calls.read("value", { place, path: [] })).value).toMatchObject({
      type: "string",
      size: 100_000,
    });
    expect(await calls.refusal("value", { place: { ...place, key: "none" }, path: [] })).toEqual([
      ...[400, "INVALID_CONFIG"],
    ]);
  });

  it("clear a namespace, all of a prefix, and one entry, and nothing else", async () => {
    const all = await left();
    await calls.write("deleteCacheEntry", { namespace: NODES, key: "old" });
    expect(await left()).toEqual(all.filter((id) => id !== `${NODES}old`));
    await calls.write("clearCacheNamespace", { namespace: NODES });
    expect(await left()).toEqual([`${RESEARCH}["writes","other"]k`, '["nodes"]a']);
    await calls.write("clearCachePrefix", {});
    expect(await left()).toEqual([`${RESEARCH}["writes","other"]k`]);
    await calls.write("clearCachePrefix", { keyPrefix: 'research "2"' });
    expect(await left()).toEqual([]);
  });

  it.each<[string, object]>([
    ["deleteCacheEntry", { namespace: NODES, key: "old" }],
    ["clearCacheNamespace", { namespace: NODES }],
    ["clearCachePrefix", { keyPrefix: 'research "2"' }],
  ])("change nothing where the inspector is read-only: %s", async (name, args) => {
    const all = await left();
    expect((await new InspectorCalls(saver).post(name, args)).status).toBe(403);
    const authorize = (_request: Request, { action }: { readonly action: string }) => action !== "delete";
    expect((await new InspectorCalls(saver, { write: true, authorize }).post(name, args)).status).toBe(403);
    expect(await left()).toEqual(all);
  });

  it("say why they can't read a value, beside the others, and decrypt with the keys of the saver", async () => {
    const serde = new AesGcmSerializer(new MsgpackSerializer(), {
      keys: [{ id: "1", key: randomBytes(32) }],
    });
    await using sealed = new PostgresCache(database.source, { serde, keyPrefix: "sealed" });
    await sealed.set([{ key: [["n"], "k"], value: { secret: 1 } }]);
    await database.query(`insert into cache_entries (namespace, key, type, value, size)
      values ('"sealed"["n"]', 'unknown', 'pickle', '\\x80', 1)`);
    const namespace = '"sealed"["n"]';
    const valuesOf = async (by: InspectorCalls) =>
      Object.fromEntries(
        (await by.read("cacheEntries", { namespace })).entries.map(({ key, value }) => [key, value?.type]),
      );
    expect(await valuesOf(calls)).toEqual({ k: "error", unknown: "error" });
    await using decrypting = new PostgresSaver(database.source, serde);
    expect(await valuesOf(new InspectorCalls(decrypting))).toEqual({ k: "object", unknown: "error" });
  });

  it.each(["x", "tenant:", '"a"', "[1]", '"a"[', "{}", "[", 'tenant:"a"["b"]more'])(
    "show a namespace that is none of this library: %s",
    async (namespace) => {
      await database.query(
        "insert into cache_entries (namespace, key, type, value, size) values ($1, 'k', 'json', '1', 1)",
        [namespace],
      );
      const found = (await namespaces()).find((row) => row.namespace === namespace);
      expect([found?.labels, found?.entries]).toEqual([undefined, 1]);
      expect((await calls.read("cacheEntries", { namespace })).entries).toMatchObject([{ key: "k" }]);
      await calls.write("clearCacheNamespace", { namespace });
      expect(await left()).not.toContain(`${namespace}k`);
    },
  );
});

onOneServer(NO_ROW_SECURITY, describeEachTarget)("cache calls of a tenant's inspector", (target) => {
  it("show and clear only the tenant's entries, and none where they may not", async () => {
    const tenancy = await openTenancy(target, { with: ["cache"] });
    const calls = () => new InspectorCalls(tenancy.saver("acme"), { write: true });
    // Without the policy of the table, every tenant would see all entries.
    expect(await calls().read("overview", {})).toMatchObject({ hasCache: false });
    await tenancy.operate((await documentedSql()).setUpStores);
    const [acme, bolt] = ["acme", "bolt"].map((tenantId) => new PostgresCache(tenancy.source, { tenantId }));
    await acme?.set([{ key: [["n"], "k"], value: 1 }]);
    await bolt?.set([{ key: [["n"], "k"], value: 1 }]);
    const own = calls();
    expect((await own.read("cacheNamespaces", {})).namespaces).toEqual([
      expect.objectContaining({ namespace: 'acme:["n"]', labels: ["n"], entries: 1 }),
    ]);
    const foreign = 'bolt:["n"]';
    expect((await own.read("cacheEntries", { namespace: foreign })).entries).toEqual([]);
    const place = { kind: "entry", namespace: foreign, key: "k" } as const;
    expect(await own.refusal("value", { place, path: [] })).toEqual([400, "INVALID_CONFIG"]);
    await own.write("deleteCacheEntry", { namespace: foreign, key: "k" });
    await own.write("clearCacheNamespace", { namespace: foreign });
    await own.write("clearCachePrefix", { tenantId: "bolt" });
    const rows = await tenancy.asOwner("select namespace from cache_entries");
    expect(rows).toEqual([{ namespace: foreign }]);
    await tenancy.close();
  });
});
