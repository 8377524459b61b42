import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
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

/** Sends a write, and returns the status and the error of the answer. */
async function refusalOf(
  calls: InspectorCalls,
  name: string,
  args: object,
): Promise<[number, string, string]> {
  const response = await calls.post(name, args);
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
}

describeEachTarget("changes of items in the inspector", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let store: PostgresStore;
  let calls: InspectorCalls;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    store = new PostgresStore(database.source);
    await store.setup();
    calls = new InspectorCalls(saver, { write: true });
  });
  afterAll(async () => {
    await saver.end();
    await store.end();
  });

  const tea = { namespace: ["users", "7"], key: "tea" };

  it("create an item once, edit its value, and delete it", async () => {
    await calls.write("createItem", { ...tea, value: { text: "green" }, ttlMinutes: 5 });
    expect(await refusalOf(calls, "createItem", { ...tea, value: {} })).toEqual([
      ...[409, "VERSION_CONFLICT", expect.stringContaining("expected no item")],
    ]);
    const { json = "", version } = await calls.read("editableItem", tea);
    expect([JSON.parse(json), version]).toEqual([{ text: "green" }, 1]);
    await calls.write("editItem", { ...tea, value: { text: "black" }, version });
    expect((await store.get(tea.namespace, tea.key))?.value).toEqual({ text: "black" });
    // The time to live is kept.
    expect(await calls.read("item", tea)).toMatchObject({
      version: 2,
      ttlMinutes: 5,
      expiresAt: expect.any(Number),
    });
    await calls.write("deleteItem", tea);
    expect(await store.get(tea.namespace, tea.key)).toBeNull();
    expect(await calls.refusal("item", tea)).toEqual([400, "INVALID_CONFIG"]);
  });

  it("delete a namespace with all below it and what has expired, if it is as the person saw it", async () => {
    const put = (namespace: string[], key: string) => store.put(namespace, key, { text: "green" });
    for (const key of ["d", "b", "a", "c"]) await put(["people", "ada"], key);
    await put(["people", "ada", "notes"], "n");
    await put(["people", "ada lovelace"], "k");
    await put(["people"], "k");
    await database.query(
      "update store set expires_at = now() - interval '1 hour' where prefix = 'people.ada' and key = 'a'",
    );
    const sums = await calls.read("itemSums", { prefix: ["people", "ada"] });
    expect(sums).toEqual({
      items: 5,
      namespaces: [
        { namespace: ["people", "ada"], items: 4, expired: 1, keys: ["a", "b", "c"] },
        { namespace: ["people", "ada", "notes"], items: 1, expired: 0, keys: ["n"] },
      ],
      hasMore: false,
    });
    // A person is found by the label that has the id, wherever it is.
    await put(["notes", "of", "ada"], "k");
    const { namespaces } = await calls.read("itemSums", { label: "ada" });
    expect(namespaces.map(({ namespace }) => namespace.join("."))).toEqual([
      ...["notes.of.ada", "people.ada", "people.ada.notes"],
    ]);
    await put(["people", "ada"], "new");
    const deletion = { namespace: ["people", "ada"], items: sums.items };
    expect(await refusalOf(calls, "deleteItems", deletion)).toEqual([
      ...[409, "ITEMS_CHANGED", expect.stringContaining("6 items by now, and not 5")],
    ]);
    expect(await calls.write("deleteItems", { ...deletion, items: 6 })).toEqual({ items: 6 });
    const left = await database.query("select prefix from store where prefix like 'people%' order by prefix");
    expect(left).toEqual([{ prefix: "people" }, { prefix: "people.ada lovelace" }]);
    expect(await calls.refusal("deleteItems", { namespace: [], items: 0 })).toEqual([400, "INVALID_CONFIG"]);
  });

  it("overwrite no change of someone else", async () => {
    await store.put(["race"], "k", { n: 1 });
    const place = { namespace: ["race"], key: "k" };
    const { version } = await calls.read("editableItem", place);
    await store.put(["race"], "k", { n: 2 });
    expect(await refusalOf(calls, "editItem", { ...place, value: { n: 3 }, version })).toEqual([
      ...[409, "VERSION_CONFLICT", expect.stringContaining("expected version 1, but it has version 2")],
    ]);
    await store.delete(["race"], "k");
    expect((await refusalOf(calls, "editItem", { ...place, value: { n: 3 }, version })).slice(0, 2)).toEqual([
      ...[409, "VERSION_CONFLICT"],
    ]);
    expect(await store.get(["race"], "k")).toBeNull();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["bytes", { of: new Uint8Array([1]) }, /At of is an object of class Uint8Array/],
    ["a message", { last: [new HumanMessage("hi")] }, /At last\[0\] is an object of class HumanMessage/],
    ["a number of many digits", { n: 12345678901234567890123n }, /At n is a value of type bigint/],
    ["a long text", { text: "x".repeat(300_000) }, /too long/],
  ])("destroy no value that JSON can't show: %s", async (what, value, problem) => {
    const place = { namespace: ["kept"], key: what };
    await store.put(place.namespace, place.key, value);
    const rows = () => database.query(`select *, xmin from store where key = '${what}'`);
    const before = await rows();
    expect(await calls.read("editableItem", place)).toEqual({
      version: 1,
      problem: expect.stringMatching(problem),
    });
    expect(await refusalOf(calls, "editItem", { ...place, value: {}, version: 1 })).toEqual([
      ...[400, "INVALID_CONFIG", expect.stringMatching(problem)],
    ]);
    expect(await rows()).toEqual(before);
  });

  it("destroy no number that Postgres holds with more digits", async () => {
    await store.put(["kept"], "exact", { n: 0.1 });
    await database.query(
      `update store set value = '{"n": 0.1000000000000000055511151231257827}' where key = 'exact'`,
    );
    const { problem } = await calls.read("editableItem", { namespace: ["kept"], key: "exact" });
    expect(problem).toMatch(/more digits/);
  });

  it("keep a key that objects have anyway", async () => {
    const value = JSON.parse('{"__proto__": {"attacked": 1}, "constructor": 1}') as Record<string, unknown>;
    const place = { namespace: ["proto"], key: "k" };
    await calls.write("createItem", { ...place, value });
    const { json = "" } = await calls.read("editableItem", place);
    expect([JSON.parse(json), Reflect.get({}, "attacked")]).toEqual([value, undefined]);
    expect(Object.keys(JSON.parse(json) as object)).toEqual(["__proto__", "constructor"]);
  });

  it.each([
    ["no object", { ...tea, value: [1] }],
    ["a reserved key", { ...tea, value: { __sealed__: 1 } }],
    ["a label with a period", { ...tea, namespace: ["a.b"], value: {} }],
    ["no namespace", { ...tea, namespace: [], value: {} }],
    ["the namespace of LangGraph", { ...tea, namespace: ["langgraph"], value: {} }],
    ["no time to live", { ...tea, value: {}, ttlMinutes: 0 }],
  ])("refuse %s as an error of the caller", async (_what, args) => {
    expect((await refusalOf(calls, "createItem", args))[0]).toBe(400);
  });

  it("encrypt by the store of the application, and store nothing in clear text beside its items without it", async () => {
    const keys = [{ id: "1", key: randomBytes(32) }];
    const serde = new AesGcmSerializer(new MsgpackSerializer(), { keys });
    await using sealed = new PostgresStore(database.source, { serde });
    const place = { namespace: ["sealed"], key: "k" };
    await sealed.put(place.namespace, place.key, { secret: "tea" });
    expect((await calls.read("editableItem", place)).problem).toMatch(/encrypted.*`store`/);
    expect((await refusalOf(calls, "editItem", { ...place, value: {}, version: 1 }))[0]).toBe(400);
    expect((await refusalOf(calls, "createItem", { ...place, key: "other", value: {} }))[0]).toBe(400);
    const strict = new AesGcmSerializer(new MsgpackSerializer(), { keys, strict: true });
    await using sealing = new PostgresSaver(database.source, strict);
    const elsewhere = { namespace: ["new"], key: "k", value: {} };
    const beside = new InspectorCalls(sealing, { write: true });
    expect((await refusalOf(beside, "createItem", elsewhere))[0]).toBe(400);
    const own = new InspectorCalls(saver, { store: sealed, write: true });
    await own.write("editItem", { ...place, value: { secret: "coffee" }, version: 1 });
    await own.write("createItem", { ...place, key: "other", value: { secret: "coffee" } });
    const rows = await database.query("select value::text from store where prefix = 'sealed'");
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain("coffee");
    expect((await sealed.get(place.namespace, place.key))?.value).toEqual({ secret: "coffee" });
  });

  it("check the schema of the application", async () => {
    const refuse = () => ({ issues: [{ message: "no tea" }] });
    const schema = { "~standard": { version: 1 as const, vendor: "test", validate: refuse } };
    await using strict = new PostgresStore(database.source, { namespaces: [{ prefix: ["strict"], schema }] });
    const own = new InspectorCalls(saver, { store: strict, write: true });
    expect(await refusalOf(own, "createItem", { namespace: ["strict"], key: "k", value: {} })).toEqual([
      ...[400, "ITEM_SCHEMA", expect.stringContaining("no tea")],
    ]);
  });

  it.each<[string, object]>([
    ["createItem", { ...tea, value: {} }],
    ["editItem", { ...tea, value: {}, version: 1 }],
    ["deleteItem", tea],
    ["deleteItems", { namespace: tea.namespace, items: 1 }],
  ])("are refused where the inspector is read-only: %s", async (name, args) => {
    await store.put(tea.namespace, tea.key, { text: "green" });
    const rows = () => database.query("select *, xmin from store where key = 'tea'");
    const before = await rows();
    expect((await refusalOf(new InspectorCalls(saver), name, args)).slice(0, 2)).toEqual([403, "READ_ONLY"]);
    const authorize = (_request: Request, { action }: { readonly action: string }) => action === "read";
    const reader = new InspectorCalls(saver, { write: true, authorize });
    expect((await refusalOf(reader, name, args)).slice(0, 2)).toEqual([403, "FORBIDDEN"]);
    expect(await rows()).toEqual(before);
  });
});

onOneServer(NO_ROW_SECURITY, describeEachTarget)("changes of items of a tenant", (target) => {
  it("reach no item of another tenant", async () => {
    const tenancy = await openTenancy(target, { with: ["store"] });
    await tenancy.operate((await documentedSql()).setUpStores);
    const bolt = new PostgresStore(tenancy.source, { tenantId: "bolt" });
    await bolt.put(["bolt"], "k", { text: "tea" });
    const calls = new InspectorCalls(tenancy.saver("acme"), { write: true });
    const place = { namespace: ["bolt"], key: "k" };
    const rows = () => tenancy.asOwner("select *, xmin::text from store where prefix = 'bolt'");
    const before = await rows();
    expect(await calls.refusal("editableItem", place)).toEqual([400, "INVALID_CONFIG"]);
    expect((await refusalOf(calls, "editItem", { ...place, value: {}, version: 1 }))[0]).toBe(409);
    await calls.write("deleteItem", place);
    expect(await calls.read("itemSums", { label: "bolt" })).toMatchObject({ items: 0 });
    expect(await calls.write("deleteItems", { namespace: ["bolt"], items: 0 })).toEqual({ items: 0 });
    for (const key of ["k", "other"]) {
      const refused = await refusalOf(calls, "createItem", { ...place, key, value: {} });
      expect(refused.slice(0, 2)).toEqual([403, "PERMISSION_DENIED"]);
    }
    expect(await rows()).toEqual(before);
    await calls.write("createItem", { namespace: ["acme"], key: "k", value: {} });
    await tenancy.close();
  });
});

describeVectors("changes of items with embeddings", (target) => {
  it("make new vectors by the store of the application, and leave no old ones without it", async () => {
    const database = await target.migratedDatabase();
    const { source } = database;
    await using saver = new PostgresSaver(source);
    const index = { dims: 16, embed: new WordEmbedder(16), fields: ["text"] };
    await using store = new PostgresStore(source, { index });
    const place = { namespace: ["d"], key: "k" };
    await store.put(["d"], "k", { text: "red cat", title: "bird" });
    await store.put(["d"], "other", { text: "blue bird", title: "cat" }, ["title"]);
    const vectors = () =>
      database.query("select key, field_name, embedding::text from store_vectors order by key, field_name");
    const before = await vectors();

    const without = new InspectorCalls(saver, { write: true });
    expect((await without.read("editableItem", place)).problem).toMatch(/embeddings.*`store`/);
    expect((await refusalOf(without, "editItem", { ...place, value: { text: "dog" }, version: 1 }))[0]).toBe(
      400,
    );
    expect(await vectors()).toEqual(before);

    const calls = new InspectorCalls(saver, { store, write: true });
    await calls.write("editItem", { ...place, value: { text: "green tree", title: "bird" }, version: 1 });
    const [best] = await store.search(["d"], { query: "green tree", limit: 1 });
    expect(best?.key).toBe("k");
    // The put has chosen another path, which the edit keeps.
    await calls.write("editItem", {
      ...{ namespace: ["d"], key: "other", version: 1 },
      value: { text: "red fox", title: "fox" },
    });
    const fields = (await vectors()).flatMap(({ key, field_name }) => (key === "other" ? [field_name] : []));
    expect(fields).toEqual(["", "title"]);

    await without.write("deleteItem", place);
    expect((await vectors()).map(({ key }) => key)).toEqual(["other", "other"]);
  });
});
