import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import {
  describeEachTarget,
  describeVectors,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";
import { WordEmbedder } from "../store/embedder.js";
import { documentedSql } from "../tenants/documented-sql.js";
import { NO_ROW_SECURITY, openTenancy } from "../tenants/tenancy.js";

describeEachTarget("memory calls of the inspector", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let store: PostgresStore;
  let calls: InspectorCalls;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    store = new PostgresStore(database.source);
    calls = new InspectorCalls(saver);
  });
  afterAll(async () => {
    await saver.end();
    await store.end();
  });

  it("find no store before its tables exist, create none, and find it afterwards", async () => {
    expect(await calls.read("overview", {})).toMatchObject({ hasMemory: false });
    expect(await calls.read("memory", {})).toEqual({
      ...{ exists: false, hasVectors: false, writesAsApplication: false },
    });
    expect(await calls.refusal("items", { prefix: [] })).toEqual([400, "INVALID_CONFIG"]);
    expect(await database.query("select 1 from pg_tables where tablename = 'store'")).toEqual([]);
    await store.setup();
    expect(await calls.read("overview", {})).toMatchObject({ hasMemory: true });
    expect(await calls.read("memory", {})).toEqual({
      ...{ exists: true, hasVectors: false, writesAsApplication: false },
    });
  });

  it("list namespaces level by level, and items with filters and by words", async () => {
    await store.put(["users", "7"], "profile", { name: "Ada", age: 36 });
    await store.put(["users", "7", "facts"], "1", { text: "likes green tea" });
    await store.put(["users", "8", "facts"], "1", { text: "likes tea, black tea" });
    await store.put(["docs"], "intro", { text: "hello" });
    const below = async (...prefix: string[]) =>
      (await calls.read("memoryNamespaces", { prefix })).namespaces;
    expect(await below()).toEqual([["docs"], ["users"]]);
    expect(await below("users", "7")).toEqual([["users", "7", "facts"]]);
    expect(await calls.read("memoryNamespaces", { prefix: [], offset: 1, limit: 1 })).toEqual({
      ...{ namespaces: [["users"]], hasMore: false },
    });
    const { items, hasMore } = await calls.read("items", { prefix: ["users"], limit: 2 });
    expect([items.length, hasMore]).toEqual([2, true]);
    const found = await calls.read("items", { prefix: [], query: "tea" });
    expect(found.items.map(({ namespace, key }) => [...namespace, key])).toEqual([
      ["users", "8", "facts", "1"],
      ["users", "7", "facts", "1"],
    ]);
    expect(found.items.every(({ score = 0 }) => score > 0)).toBe(true);
    const [adult] = (await calls.read("items", { prefix: [], filter: { age: { $gte: 18 } } })).items;
    expect(adult).toMatchObject({ key: "profile", value: { type: "object", size: 2 } });
    expect((await calls.read("items", { prefix: [], filter: { ["__proto__"]: "x" } })).items).toEqual([]);
    expect(await calls.refusal("items", { prefix: [], filter: { age: { $near: 1 } } })).toEqual([
      ...[400, "INVALID_CONFIG"],
    ]);
    expect(await calls.refusal("items", { prefix: ["a.b"] })).toEqual([400, "INVALID_CONFIG"]);
  });

  it("start the time of no item again", async () => {
    await using lasting = new PostgresStore(database.source, {
      ttl: { defaultTtl: 60, refreshOnRead: true },
    });
    await lasting.put(["ttl"], "k", { text: "fleeting" });
    const rows = () => database.query("select *, xmin from store where prefix = 'ttl'");
    const before = await rows();
    for (const given of [undefined, lasting]) {
      const { items } = await new InspectorCalls(saver, { store: given }).read("items", { prefix: ["ttl"] });
      expect(items).toHaveLength(1);
    }
    expect(await rows()).toEqual(before);
  });

  it("show an item that they can't decrypt as an error, beside the others, and decrypt with the store's keys", async () => {
    const serde = new AesGcmSerializer(new MsgpackSerializer(), {
      keys: [{ id: "1", key: randomBytes(32) }],
    });
    await using sealed = new PostgresStore(database.source, { serde });
    await sealed.put(["mixed"], "sealed", { secret: 1 });
    await store.put(["mixed"], "plain", { open: 1 });
    const typesOf = async (given?: PostgresStore) => {
      const { items } = await new InspectorCalls(saver, { store: given }).read("items", {
        prefix: ["mixed"],
      });
      return Object.fromEntries(items.map(({ key, value }) => [key, value.type]));
    };
    expect(await typesOf()).toEqual({ sealed: "error", plain: "object" });
    expect(await typesOf(sealed)).toEqual({ sealed: "object", plain: "object" });
  });
});

onOneServer(NO_ROW_SECURITY, describeEachTarget)("memory calls of a tenant's inspector", (target) => {
  it("show only the tenant's items, and none where they may not", async () => {
    const tenancy = await openTenancy(target, { with: ["store"] });
    const calls = () => new InspectorCalls(tenancy.saver("acme"));
    // Without the policies of the store's tables, every tenant would see all items.
    expect(await calls().read("memory", {})).toMatchObject({ exists: false });
    await tenancy.operate((await documentedSql()).setUpStores);
    const [acme, bolt] = ["acme", "bolt"].map((tenantId) => new PostgresStore(tenancy.source, { tenantId }));
    await acme?.put(["acme", "users"], "k", { text: "tea" });
    await bolt?.put(["bolt", "users"], "k", { text: "tea" });
    const own = calls();
    expect((await own.read("memoryNamespaces", { prefix: [] })).namespaces).toEqual([["acme"]]);
    expect((await own.read("items", { prefix: [], query: "tea" })).items).toHaveLength(1);
    expect((await own.read("items", { prefix: ["bolt"] })).items).toEqual([]);
    const foreign = new InspectorCalls(tenancy.saver("acme"), { store: bolt });
    expect(await foreign.read("memory", {})).toMatchObject({ exists: false });
    expect(await foreign.refusal("items", { prefix: [] })).toEqual([400, "INVALID_CONFIG"]);
    await tenancy.close();
  });
});

describeVectors("memory calls with a store that embeds", (target) => {
  it("search by meaning, and by words where asked to", async () => {
    const { source } = await target.migratedDatabase();
    await using saver = new PostgresSaver(source);
    const index = { dims: 16, embed: new WordEmbedder(16), fields: ["text"] };
    await using store = new PostgresStore(source, { index });
    await store.put(["d"], "near", { text: "red cat" });
    await store.put(["d"], "far", { text: "blue bird" });
    const calls = new InspectorCalls(saver, { store });
    expect(await calls.read("memory", {})).toEqual({
      ...{ exists: true, hasVectors: true, writesAsApplication: true },
    });
    const query = { prefix: ["d"], query: "red" };
    expect((await calls.read("items", query)).items.map(({ key }) => key)).toEqual(["near", "far"]);
    expect((await calls.read("items", { ...query, by: "words" })).items.map(({ key }) => key)).toEqual([
      "near",
    ]);
  });
});
