import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

/** Places of items that no store of LangGraph writes, and which another program or SQL can. The first part is the column `prefix`. */
const ITEMS: readonly (readonly [what: string, prefix: string, key: string])[] = [
  ["an empty label", "odd..x", "k"],
  ["an empty label at the end", "odd.", "k"],
  ["an empty label at the beginning", ".odd", "k"],
  ["only empty labels", "..", "k"],
  ["no label", "", "k"],
  ["a long namespace", `odd.${"x".repeat(9_000)}`, "k"],
  ["a long key", "odd.keys", "k".repeat(9_000)],
  ["the label of LangGraph", "langgraph", "k"],
];
/** Places that any store takes, though a page or a terminal would rather not. */
const ODD_ITEMS: typeof ITEMS = [
  ["control characters", "odd.\u0007\u009b\u202e\n", "\u007f\u0085"],
  ["an empty key", "odd.empty", ""],
  ["HTML", 'odd.<img src=x onerror="1">', "%2e%2e/"],
  ["a wildcard", "*", "*"],
];

describeEachTarget("places in the store and the cache that are not ours, in the inspector", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    await using store = new PostgresStore(database.source);
    await store.setup();
    await using cache = new PostgresCache(database.source);
    await cache.setup();
    calls = new InspectorCalls(saver, { write: true });
    for (const [what, prefix, key] of [...ITEMS, ...ODD_ITEMS]) {
      await database.query("insert into store (prefix, key, value) values ($1, $2, $3)", [
        ...[prefix, key, JSON.stringify({ what })],
      ]);
    }
  });
  afterAll(() => saver.end());

  const labelsOf = (prefix: string) => (prefix === "" ? [] : prefix.split("."));
  const statusOf = async (name: string, args: object) => {
    const response = await calls.post(name, args);
    return [response.status, await response.text()] as const;
  };

  it.each([...ITEMS, ...ODD_ITEMS])("show an item with %s, by every call", async (what, prefix, key) => {
    const namespace = labelsOf(prefix);
    const { items } = await calls.read("items", { prefix: namespace, limit: 50 });
    expect(items.filter((item) => item.key === key && item.namespace.join(".") === prefix)).toHaveLength(1);
    expect((await calls.read("items", { prefix: namespace, query: what })).items).not.toEqual([]);
    await calls.read("memoryNamespaces", { prefix: namespace });
    expect(await calls.read("item", { namespace, key })).toMatchObject({ version: 1 });
    expect(await calls.read("editableItem", { namespace, key })).toMatchObject({ version: 1 });
    const place = { kind: "item", namespace, key } as const;
    expect(await calls.read("value", { place, path: [] })).toMatchObject({ value: { type: "object" } });
    expect(await calls.read("text", { place, path: [0], offset: 0 })).toEqual({ text: what });
    expect((await calls.read("searchValue", { place, search: what })).matches).toHaveLength(1);
    const download = await calls.load("download", { place, path: [] });
    expect([download.status, await download.json()]).toEqual([200, { what }]);
  });

  it("list them among the namespaces", async () => {
    const below = async (...prefix: string[]) =>
      (await calls.read("memoryNamespaces", { prefix })).namespaces;
    expect(await below("odd")).toContainEqual(["odd", ""]);
    expect(await below("odd", "")).toEqual([["odd", "", "x"]]);
  });

  it.each(ITEMS)("change no item with %s, and say why", async (_what, prefix, key) => {
    const place = { namespace: labelsOf(prefix), key };
    const isOwn = prefix === "langgraph";
    const rows = () => database.query("select prefix, key, value::text, version from store order by 1, 2");
    const before = await rows();
    for (const [name, args] of [
      ["editItem", { ...place, value: {}, version: 1 }],
      ["createItem", { ...place, key: `${key}2`, value: {} }],
      ...(isOwn ? [] : [["deleteItem", place] as const]),
    ] as const) {
      const [status, text] = await statusOf(name, args);
      expect({ name, status }).toEqual({ name, status: 400 });
      expect(text).toMatch(/must not be|must not begin|cannot be/);
    }
    expect(await rows()).toEqual(before);
    if (key.length === 1) {
      expect((await calls.read("editableItem", place)).problem).toMatch(/^The store takes no such item: /);
    }
  });

  it.each(ODD_ITEMS)("change and delete an item with %s", async (_what, prefix, key) => {
    const place = { namespace: labelsOf(prefix), key };
    await calls.write("editItem", { ...place, value: { changed: true }, version: 1 });
    expect(await calls.read("item", place)).toMatchObject({ version: 2 });
    await calls.write("deleteItem", place);
    expect(await calls.refusal("item", place)).toEqual([400, "INVALID_CONFIG"]);
    await calls.write("createItem", { ...place, value: {} });
  });

  it.each([
    ["a period", ["a.b"]],
    ["U+0000", ["a\0"]],
    ["a lone surrogate", ["\ud800"]],
  ])("refuse a label with %s, which no row has, by every call", async (_what, namespace) => {
    const item = { namespace, key: "k" };
    const ofValue = { place: { kind: "item", ...item }, path: [] };
    for (const [name, args] of [
      ["memoryNamespaces", { prefix: namespace }],
      ["items", { prefix: namespace }],
      ["items", { prefix: namespace, query: "x", filter: { a: 1 } }],
      ["item", item],
      ["editableItem", item],
      ["value", ofValue],
      ["text", { ...ofValue, offset: 0 }],
      ["searchValue", { place: ofValue.place, search: "x" }],
      ["createItem", { ...item, value: {} }],
      ["editItem", { ...item, value: {}, version: 1 }],
      ["deleteItem", item],
    ] as const) {
      const [status, text] = await statusOf(name, args);
      expect({ name, status, text }).toEqual({
        name,
        status: 400,
        text: expect.stringContaining("must not contain"),
      });
    }
    expect((await calls.load("download", ofValue)).status).toBe(400);
  });

  it.each([
    ["no text", ""],
    ["a text that is not JSON", "plain.text"],
    ["control characters", "\u0007\u009b\u202e\n"],
    ["a long text", "x".repeat(9_000)],
  ])("show and delete an entry of the cache whose namespace is %s", async (_what, namespace) => {
    const insert = (key: string, type: string) =>
      database.query(
        "insert into cache_entries (namespace, key, type, value, size) values ($1, $2, $3, '\\x01', 1)",
        [namespace, key, type],
      );
    for (const key of ["", "k".repeat(4_000), "k"])
      await insert(key, key === "" ? "unknown\u009b" : "msgpack");
    const { namespaces } = await calls.read("cacheNamespaces", {});
    expect(namespaces.map((row) => [row.namespace, row.entries])).toContainEqual([namespace, 3]);
    expect((await calls.read("cacheNamespaces", { limit: 1 })).namespaces).toHaveLength(1);
    expect((await calls.read("cacheEntries", { namespace })).entries).toHaveLength(3);
    for (const key of ["", "k".repeat(4_000)]) {
      expect((await calls.read("cacheEntries", { namespace, key })).entries).toHaveLength(1);
      const place = { kind: "entry", namespace, key } as const;
      await calls.read("value", { place, path: [] });
      expect((await calls.load("download", { place, path: [] })).status).toBe(200);
      await calls.write("deleteCacheEntry", { namespace, key });
    }
    await calls.write("clearCacheNamespace", { namespace });
    expect((await calls.read("cacheEntries", { namespace })).entries).toEqual([]);
  });
});
