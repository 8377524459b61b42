import { PGlite } from "@electric-sql/pglite";
import { expect, it } from "@jest/globals";
import type { Operation } from "@langchain/langgraph-checkpoint";
import type { StoreDatabase } from "../../src/db/index.js";
import { PostgresStore, InvalidEmbeddingError, VersionConflictError } from "../../src/store/index.js";
import { recordStatements } from "../../test-support/recorded-statements.js";
import { describeVectors } from "../../test-support/targets.js";
import { WordEmbedder } from "./embedder.js";
import { useStore } from "./stored.js";

const DIMS = 64;

describeVectors("a store with an index", (target) => {
  const embedder = new WordEmbedder(DIMS);
  const suite = useStore(target, {
    index: { dims: DIMS, embeddings: embedder, fields: ["text", "tags[*]"], batchSize: 3 },
    namespaces: [
      { prefix: ["secret"], index: false },
      { prefix: ["secret", "open"], index: ["title"] },
    ],
  });
  const keysOf = async (query: string, options = {}) =>
    (await suite.store.search([], { query, unscored: false, limit: 99, ...options })).map(({ key }) => key);
  const fieldNames = async () =>
    (
      await suite.database.query<{ name: string }>(
        "select key || ' ' || field_name as name from store_vectors order by 1",
      )
    ).map(({ name }) => name);

  it("finds items by the most similar of their texts, the best first", async () => {
    const { store } = suite;
    await store.put(["d"], "cat", { text: "the cat sleeps" });
    await store.put(["d"], "tagged", { text: "nothing alike", tags: ["dog", "cat"] });
    await store.put(["d"], "dog", { text: "the dog barks" });
    const found = await store.search(["d"], { query: "cat" });
    expect(found.map(({ key }) => key)).toEqual(["tagged", "cat", "dog"]);
    expect(found.map(({ score }) => score)).toEqual([
      expect.closeTo(1, 5),
      expect.closeTo(1 / Math.sqrt(3), 5),
      expect.closeTo(0, 5),
    ]);
    expect(await fieldNames()).toEqual([
      "cat text",
      "dog text",
      "tagged tags[*].0",
      "tagged tags[*].1",
      "tagged text",
    ]);
  });

  it("appends the items without a vector once, after all others, in the order of a plain search", async () => {
    const { store } = suite;
    for (const key of ["a", "b", "c"]) await store.put(["d"], key, { text: "cat" });
    for (const key of ["x", "y", "z"]) await store.put(["d"], key, { other: key });
    const newest = (await store.search(["d"], { limit: 3 })).map(({ key }) => key);
    const all = await store.search(["d"], { query: "cat", limit: 99 });
    expect(all.map(({ key }) => key)).toEqual(["c", "b", "a", ...newest]);
    expect(all.map(({ score }) => score === undefined)).toEqual([false, false, false, true, true, true]);
    const pages = [];
    for (const offset of [0, 2, 4, 6])
      pages.push(...(await store.search(["d"], { query: "cat", limit: 2, offset })));
    expect(pages).toEqual(all);
    expect(await keysOf("cat")).toEqual(["c", "b", "a"]);
  });

  it("replaces the vectors of an item by every put, and deletes them with the item", async () => {
    const { store } = suite;
    await store.put(["d"], "k", { text: "cat", tags: ["red", "green"] });
    await store.put(["d"], "k", { text: "cat", tags: ["green"] });
    expect(await fieldNames()).toEqual(["k tags[*]", "k text"]);
    expect((await store.search(["d"], { query: "red" }))[0]?.score).toBe(0);
    await store.put(["d"], "k", { text: "cat" }, false);
    expect(await keysOf("cat")).toEqual([]);
    await store.put(["d"], "k", { text: "cat" });
    await store.delete(["d"], "k");
    expect(await fieldNames()).toEqual([]);
  });

  it("takes the paths of a put, of a batch, or of the rule of a namespace", async () => {
    const { store } = suite;
    const value = { text: "cat", title: "dog", n: 5 };
    await store.put(["d"], "put", value, ["title", "$"]);
    const operations: Operation[] = [
      { namespace: ["d"], key: "batch", value, index: ["title"] },
      { namespace: ["d"], key: "none", value, index: false },
      { namespace: ["secret"], key: "secret", value },
      { namespace: ["secret", "open"], key: "open", value },
      { namespace: ["secret"], key: "chosen", value, index: ["text"] },
    ];
    await store.batch(operations);
    expect((await fieldNames()).filter((name) => !name.endsWith(" "))).toEqual([
      "batch title",
      "chosen text",
      "open title",
      "put $",
      "put title",
    ]);
    expect(embedder.texts).toContain('{"n": 5, "text": "cat", "title": "dog"}');
    await expect(store.put(["d"], "k", value, [""])).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("embeds each distinct text of a call once, in portions, and an unchanged text never again", async () => {
    const { store } = suite;
    embedder.reset();
    const item = (n: number): Operation => ({
      namespace: ["d"],
      key: `k${n}`,
      value: { text: `text ${"x".repeat(n % 4)}`, n },
    });
    const items = Array.from({ length: 20 }, (_, n) => item(n));
    await store.batch(items);
    expect(embedder.calls.map((texts) => texts.length)).toEqual([3, 1]);
    embedder.reset();
    await store.batch(
      items.map((each, n) => ({ ...each, value: { ...item(n), text: `text ${"x".repeat(n % 4)}` } })),
    );
    await store.put(["d"], "k0", { text: "text ", tags: ["new", "text "] });
    await store.put(["d"], "k0", { text: "new", tags: ["text "] });
    expect(embedder.calls).toEqual([["new"]]);
    expect((await store.search(["d"], { query: "new", limit: 1 }))[0]).toMatchObject({ key: "k0", score: 1 });
    expect(await fieldNames()).toContain("k0 tags[*]");
  });

  it("embeds again what another program has replaced without a hash", async () => {
    const { store, database } = suite;
    await store.put(["d"], "k", { text: "cat" });
    const dog = `[${embedder.vectorOf("dog").join()}]`;
    // As Python's store does for another text. The clock of PGlite may not have moved since the put.
    await database.exec(
      `update store_vectors set embedding = '${dog}', updated_at = current_timestamp + interval '1 millisecond'`,
    );
    expect((await store.search(["d"], { query: "dog" }))[0]?.score).toBeCloseTo(1, 5);
    await store.put(["d"], "k", { text: "cat" });
    expect((await store.search(["d"], { query: "cat" }))[0]?.score).toBeCloseTo(1, 5);
  });

  it("stores no vector without a direction, and does not embed its text again", async () => {
    const { store } = suite;
    embedder.reset();
    await store.put(["d"], "zero", { text: "12 34" });
    await store.put(["d"], "zero", { text: "12 34", n: 1 });
    await store.put(["d"], "cat", { text: "cat" });
    expect(embedder.texts).toEqual(["12 34", "cat"]);
    const found = await store.search(["d"], { query: "cat" });
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ["cat", 1],
      ["zero", undefined],
    ]);
    expect((await store.search(["d"], { query: "77" })).map(({ key, score }) => [key, score])).toEqual([
      ["cat", undefined],
      ["zero", undefined],
    ]);
    expect(await keysOf("77")).toEqual([]);
  });

  it("refuses a vector of another length before it stores anything", async () => {
    const { store } = suite;
    const wrong = suite.open({
      index: { dims: DIMS, embed: (texts) => texts.map(() => [1, 2]), model: "words" },
    });
    const none = suite.open({ index: { dims: DIMS, embed: () => [], model: "words" } });
    const broken = suite.open({
      index: {
        dims: DIMS,
        embed: (texts) => texts.map(() => Array<number>(DIMS).fill(Number.NaN)),
        model: "words",
      },
    });
    for (const each of [wrong, none, broken]) {
      await expect(each.put(["d"], "k", { text: "cat" })).rejects.toBeInstanceOf(InvalidEmbeddingError);
      await expect(each.search(["d"], { query: "cat" })).rejects.toBeInstanceOf(InvalidEmbeddingError);
    }
    expect(await store.search([])).toEqual([]);
  });

  it("stores nothing of a batch whose model fails, or whose item has another version", async () => {
    const { store } = suite;
    const failing = suite.open({
      index: { dims: DIMS, embed: () => Promise.reject(new Error("overloaded")), model: "words" },
    });
    const put = { namespace: ["d"], key: "k", value: { text: "cat" } };
    await expect(failing.batch([{ ...put, key: "other", index: false }, put])).rejects.toThrow("overloaded");
    expect(await store.count([])).toBe(0);
    await store.put(["d"], "k", { text: "dog" });
    const stale = { ...put, ifVersion: 7 };
    await expect(store.batch([{ ...put, key: "other" }, stale])).rejects.toBeInstanceOf(VersionConflictError);
    expect(await keysOf("dog")).toEqual(["k"]);
    await store.put(["d"], "k", { text: "cat" }, undefined, { ifVersion: 1 });
    expect((await store.search(["d"], { query: "cat" }))[0]?.score).toBeCloseTo(1, 5);
  });

  it("finds texts in any script, long ones, and any query", async () => {
    const { store } = suite;
    const texts = {
      latin: "naïve café",
      greek: "καλημέρα",
      chinese: "你好世界",
      arabic: "مرحبا",
      russian: "привет",
    };
    await store.putMany(
      Object.entries(texts).map(([key, text]) => ({ namespace: ["d"], key, value: { text } })),
    );
    for (const [key, text] of Object.entries(texts)) expect((await keysOf(text))[0]).toBe(key);
    expect(await keysOf("x ".repeat(500))).toHaveLength(5);
    expect(await keysOf("café\0 \ud800 !?,.")).toHaveLength(5);
    expect(await store.search(["d"], { query: "" })).toHaveLength(5);
  });

  it("filters, and never shows expired items nor those of a sibling", async () => {
    const { store, database } = suite;
    await store.put(["u", "1"], "in", { text: "cat", kind: "a", age: 5 });
    await store.put(["u", "1", "below"], "below", { text: "cat", kind: "a", age: 50 });
    await store.put(["u", "10"], "sibling", { text: "cat", kind: "a" });
    await store.put(["u", "1"], "other", { text: "cat", kind: "b" });
    await store.put(["u", "1"], "gone", { text: "cat", kind: "a" }, undefined, { ttl: 1 });
    await database.exec("update store set expires_at = now() - interval '1 second' where key = 'gone'");
    for (const mode of ["vector", "hybrid", "text"] as const) {
      const found = await store.search(["u", "1"], { query: "cat", mode, filter: { kind: "a" } });
      expect(found.map(({ key }) => key).sort()).toEqual(["below", "in"]);
      const older = await store.search(["u", "1"], {
        query: "cat",
        mode,
        filter: { kind: "a", age: { $gt: 9 } },
      });
      expect(older.map(({ key }) => key)).toEqual(["below"]);
    }
  });

  it("starts the time of what a search returns again", async () => {
    const { store } = suite;
    await store.put(["d"], "k", { text: "cat" }, undefined, { ttl: 10 });
    for (const mode of ["vector", "hybrid"] as const) {
      await suite.database.exec("update store set expires_at = now() + interval '1 minute'");
      const [item] = await store.search(["d"], { query: "cat", mode, refreshTtl: true });
      expect((item?.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(8 * 60_000);
      expect(item?.score).toBeGreaterThan(0);
    }
  });
});

describeVectors("a store with an index and one connection", (target) => {
  it("sends three statements for a put, one of them before the model is called, and two for a search", async () => {
    const { source } = await target.createDatabase();
    if (typeof source !== "string" && !(source instanceof PGlite)) throw new Error("another source");
    await using recording = recordStatements<StoreDatabase>(source);
    const { sent } = recording;
    const embedder = new WordEmbedder(DIMS);
    const store = new PostgresStore(recording.kysely, {
      index: { dims: DIMS, embeddings: embedder, fields: ["text"] },
    });
    await store.put(["d"], "first", { text: "dog" });
    const countsOf = async (call: () => Promise<unknown>): Promise<number> => {
      sent.splice(0);
      await call();
      return sent.filter(({ text }) => !/^(?:begin|commit)/.test(text)).length;
    };
    for (const text of ["cat", "cat", "cats", ""]) {
      expect(await countsOf(() => store.put(["d"], "k", { text }))).toBe(text === "" ? 2 : 3);
    }
    expect(await countsOf(() => store.search(["d"], { query: "dog" }))).toBe(2);
  });
});
