import { afterEach, beforeAll, expect, it } from "@jest/globals";
import {
  PostgresStore,
  type PostgresStoreOptions,
  type StoreIndexOptions,
  EmbeddingMismatchError,
} from "../../src/store/index.js";
import { describeVectors, type TestDatabase } from "../../test-support/targets.js";
import { WordEmbedder } from "./embedder.js";

const OLD = { dims: 16, model: "old" };

function indexOf(
  embedder: WordEmbedder,
  dims: number,
  others: Partial<StoreIndexOptions> = {},
): StoreIndexOptions {
  return { dims, embeddings: embedder, fields: ["text"], ...others };
}

interface OldStore {
  /** A store with the old model. */
  readonly old: PostgresStore;
  /** Opens a store with another model. */
  readonly open: (index: StoreIndexOptions) => PostgresStore;
  readonly database: TestDatabase;
}

describeVectors("embedding again", (target) => {
  let database: TestDatabase | undefined;
  const opened: PostgresStore[] = [];
  beforeAll(async () => {
    database = await target.createDatabase();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.end()));
    await database?.reset();
  });
  /** Opens a store in an empty database. */
  const openOld = async (index?: StoreIndexOptions): Promise<OldStore> => {
    if (database === undefined) throw new Error("before the suite has begun");
    const { source } = database;
    const open = (options: PostgresStoreOptions): PostgresStore => {
      const store = new PostgresStore(source, options);
      opened.push(store);
      return store;
    };
    const old = open(index === undefined ? {} : { index });
    await old.setup();
    return { old, open: (given) => open({ index: given }), database };
  };
  const openEmbedded = () => openOld(indexOf(new WordEmbedder(OLD.dims, OLD.model), OLD.dims));
  const keysOf = async (store: PostgresStore, query: string): Promise<string[]> =>
    (await store.search([], { query, unscored: false })).map(({ key }) => key);

  it("refuses another model, number of dimensions, type or distance, and names the command", async () => {
    const { old, open } = await openEmbedded();
    await old.put(["d"], "k", { text: "cat" });
    const others: [Partial<StoreIndexOptions>, object][] = [
      [{ model: "other" }, { model: "other" }],
      [{ dims: 32 }, { dims: 32 }],
      [{ vectorType: "halfvec" }, { type: "halfvec" }],
      [{ distanceMetric: "l2" }, { distance: "l2" }],
    ];
    for (const [option, expected] of others) {
      const dims = option.dims ?? OLD.dims;
      const other = open(indexOf(new WordEmbedder(dims, OLD.model), dims, option));
      for (const call of [
        () => other.put(["d"], "k", { text: "dog" }),
        () => other.search([], { query: "cat" }),
      ]) {
        const error: unknown = await call().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(EmbeddingMismatchError);
        expect(error).toMatchObject({
          expected,
          stored: { model: OLD.model, dims: OLD.dims, type: "vector" },
        });
        expect(String(error)).toContain("store reembed --schema public");
      }
      expect((await other.get(["d"], "k"))?.value).toEqual({ text: "cat" });
    }
  });

  it("replaces the vectors at once when all are there, and those of the old model are refused from then on", async () => {
    const { old, open, database } = await openEmbedded();
    await old.put(["d"], "cat", { text: "cat" });
    await old.put(["d"], "chosen", { text: "x", title: "dog" }, ["title"]);
    await old.put(["d"], "none", { text: "cat" }, false);
    await old.put(["d"], "untold", { n: 1 });
    const embedder = new WordEmbedder(24, "new");
    const store = open(indexOf(embedder, 24, { vectorType: "halfvec", distanceMetric: "l2" }));
    const progress: string[] = [];
    const report = await store.reembed({
      batchSize: 3,
      onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
    });
    expect(report).toEqual({ embedded: 2 });
    expect(progress).toEqual(["0/4", "3/4", "4/4", "4/4"]);
    expect(
      (await store.search([], { query: "cat", unscored: false })).map(({ key, score }) => [key, score === 0]),
    ).toEqual([
      ["cat", true],
      ["chosen", false],
    ]);
    await expect(old.search([], { query: "cat" })).rejects.toBeInstanceOf(EmbeddingMismatchError);
    await expect(old.put(["d"], "cat", { text: "cats" })).rejects.toBeInstanceOf(EmbeddingMismatchError);
    expect((await store.get(["d"], "cat"))?.value).toEqual({ text: "cat" });
    const columns = await database.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = 'store_vectors'::regclass and attnum > 0 and not attisdropped order by attname`,
    );
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "created_at timestamp with time zone",
      "embedding halfvec(24)",
      "field_name text",
      "key text",
      "prefix text",
      "text_hash bytea",
      "updated_at timestamp with time zone",
    ]);
    const indexes = await database.query<{ def: string }>(
      "select indexdef as def from pg_indexes where indexname = 'store_vectors_embedding_idx'",
    );
    expect(indexes[0]?.def).toContain("USING hnsw (embedding halfvec_l2_ops)");
    embedder.reset();
    await store.put(["d"], "cat", { text: "cat", n: 2 });
    expect(await store.reembed()).toEqual({ embedded: 0 });
    expect(embedder.calls).toEqual([]);
  });

  it("goes on where it was interrupted, and searches with the old model work until it is done", async () => {
    const { old, open } = await openEmbedded();
    const items = Array.from({ length: 25 }, (_, n) => ({
      namespace: ["d"],
      key: `k${String(n).padStart(2, "0")}`,
      value: { text: `word${"x".repeat(n)}` },
    }));
    await old.putMany(items);
    const embedder = new WordEmbedder(24, "new");
    const store = open(indexOf(embedder, 24));
    const stop = new AbortController();
    const interrupted = store.reembed({
      batchSize: 5,
      signal: stop.signal,
      onProgress: ({ done }) => {
        if (done === 10) stop.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ code: "ABORTED" });
    await expect(store.search([], { query: "word" })).rejects.toBeInstanceOf(EmbeddingMismatchError);
    expect(await keysOf(old, "wordx")).toHaveLength(10);
    // Of those that are done, one changes, one goes, and one is new.
    await old.put(["d"], "k00", { text: "changed" });
    await old.delete(["d"], "k01");
    await old.put(["d"], "new", { text: "new" });
    await old.put(["d"], "k02", { text: "wordxx", n: 1 });
    expect(await keysOf(old, "changed")).toContain("k00");
    const done = embedder.texts.length;
    const seen: number[] = [];
    await store.reembed({ batchSize: 5, onProgress: ({ total }) => seen.push(total) });
    expect(seen[0]).toBe(18);
    expect(embedder.texts.slice(done)).toHaveLength(17);
    expect(new Set(embedder.texts).size).toBe(embedder.texts.length);
    expect((await store.search([], { query: "changed", limit: 1 }))[0]).toMatchObject({
      key: "k00",
      score: expect.closeTo(1, 5),
    });
    expect(await store.search([], { query: "word", unscored: false, limit: 99 })).toHaveLength(25);
  });

  it("misses nothing that others write meanwhile", async () => {
    const { old, open } = await openEmbedded();
    await old.putMany(
      Array.from({ length: 12 }, (_, n) => ({ namespace: ["d"], key: `k${n}`, value: { text: "before" } })),
    );
    const embedder = new WordEmbedder(24, "new");
    const store = open(indexOf(embedder, 24));
    let writes = 0;
    const embedDocuments = embedder.embedDocuments.bind(embedder);
    embedder.embedDocuments = async (texts) => {
      // While the model works, nothing is locked.
      const key = `k${writes++ % 12}`;
      if (writes < 6) await old.put(["d"], key, { text: `during ${"y".repeat(writes)}` });
      return embedDocuments(texts);
    };
    await store.reembed({ batchSize: 4 });
    const found = await store.search([], { query: "before", unscored: false, limit: 99 });
    expect(found).toHaveLength(12);
    for (const { key, value } of found) {
      const [best] = await store.search([], { query: String(value.text), filter: { text: value.text } });
      expect(best).toMatchObject({ key: expect.any(String), score: expect.closeTo(1, 5) });
      expect(key).toMatch(/^k/);
    }
  });

  it("embeds the items of a store that had no index before", async () => {
    const { old, open } = await openOld();
    await old.put(["d"], "k", { text: "cat" });
    const embedder = new WordEmbedder(24, "new");
    const store = open(indexOf(embedder, 24));
    await expect(old.reembed()).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await expect(store.scoped(["d"]).reembed()).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    expect(await keysOf(store, "cat")).toEqual([]);
    expect(await store.reembed()).toEqual({ embedded: 1 });
    expect(await keysOf(store, "cat")).toEqual(["k"]);
  });

  it("embeds no text again where only the type of the vectors or the distance changes", async () => {
    const { old, open } = await openEmbedded();
    await old.put(["d"], "k", { text: "cat" });
    const embedder = new WordEmbedder(OLD.dims, OLD.model);
    const store = open(
      indexOf(embedder, OLD.dims, {
        vectorType: "halfvec",
        distanceMetric: "inner_product",
        indexType: "ivfflat",
      }),
    );
    expect(await store.reembed()).toEqual({ embedded: 0 });
    expect(embedder.calls).toEqual([]);
    expect(await store.search([], { query: "cat cat" })).toMatchObject([{ key: "k", score: 2 }]);
  });
});
