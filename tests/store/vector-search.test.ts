import { beforeAll, describe, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { InvalidConfigError, VectorExtensionError } from "../../src/index.js";
import { parseItemFilter } from "../../src/store/boundary/parse-filter.js";
import { compileFilter } from "../../src/store/queries/matches-filter.js";
import type { BoundStatement } from "../../src/db/statements/statement.js";
import { PostgresStore, type StoreIndexOptions } from "../../src/store/index.js";
import { embeddingState } from "../../src/store/queries/embedding-state.js";
import { searchItems } from "../../src/store/queries/search-items.js";
import { SEED } from "../../test-support/runs.js";
import { describeServer, describeVectors, type TestDatabase } from "../../test-support/targets.js";
import { scoreOf, WordEmbedder } from "./embedder.js";
import { useStore } from "./stored.js";

const DIMS = 16;

const KINDS: readonly (Pick<StoreIndexOptions, "distanceMetric" | "vectorType" | "indexType"> & {
  readonly distanceMetric: "cosine" | "l2" | "inner_product";
})[] = [
  { distanceMetric: "cosine", vectorType: "vector", indexType: "hnsw" },
  { distanceMetric: "l2", vectorType: "vector", indexType: "ivfflat" },
  { distanceMetric: "inner_product", vectorType: "halfvec", indexType: "hnsw" },
  { distanceMetric: "l2", vectorType: "halfvec", indexType: "flat" },
];

describeVectors("a score", (target) => {
  it.each(KINDS)("is that of Python's store with %j, and the best comes first", async (kind) => {
    const { source } = await target.createDatabase();
    const embedder = new WordEmbedder(DIMS);
    await using store = new PostgresStore(source, {
      index: { dims: DIMS, embed: embedder, fields: ["text"], ...kind },
    });
    const texts = ["red cat", "red red red red", "blue dog", "cat", "green bird sings loudly"];
    await store.putMany(texts.map((text) => ({ namespace: ["d"], key: text, value: { text } })));
    const query = embedder.vectorOf("red cat");
    const expected = texts
      .map((text) => ({ key: text, score: scoreOf(kind.distanceMetric, query, embedder.vectorOf(text)) }))
      .sort((one, other) => other.score - one.score);
    const found = await store.search(["d"], { query: "red cat" });
    expect(found.map(({ score }) => score)).toEqual(expected.map(({ score }) => expect.closeTo(score, 3)));
    expect(found[0]?.key).toBe(expected[0]?.key);
  });
});

describeVectors("a hybrid search", (target) => {
  const suite = useStore(target, { index: { dims: 64, embed: new WordEmbedder(64), fields: ["text"] } });

  it("fuses the ranks of both searches, so that an item without a vector or without the words counts too", async () => {
    const { store } = suite;
    await store.put(["h"], "words", { other: "a cat and many more words" });
    await store.put(["h"], "vector", { text: "dog" });
    await store.put(["h"], "neither", { cat: "a key is no text" });
    await store.put(["h"], "both", { text: "cat" });
    const found = await store.search(["h"], { query: "cat", mode: "hybrid" });
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ["both", expect.closeTo(0.5 / 61 + 0.5 / 61, 9)],
      ["vector", expect.closeTo(0.5 / 62, 9)],
      ["words", expect.closeTo(0.5 / 62, 9)],
      ["neither", undefined],
    ]);
    const onlyWords = await store.search(["h"], { query: "cat", mode: "text" });
    expect(onlyWords.map(({ key }) => key).sort()).toEqual(["both", "words"]);
  });

  it("weighs embeddings by an option, and pages without overlap", async () => {
    const { store } = suite;
    await store.putMany([
      { namespace: ["h"], key: "vector", value: { text: "cat" } },
      { namespace: ["h"], key: "words", value: { text: "dog", other: "cat cat cat" } },
      ...Array.from({ length: 8 }, (_, n) => ({
        namespace: ["h"],
        key: `k${n}`,
        value: { text: `bird ${n}` },
      })),
    ]);
    const best = async (vectorWeight: number) =>
      (await store.search(["h"], { query: "cat", mode: "hybrid", vectorWeight, unscored: false }))[0]
        ?.score ?? 0;
    expect(await best(1)).toBeCloseTo(1 / 61, 6);
    expect(await best(0)).toBeCloseTo(1 / 61, 6);
    const all = await store.search(["h"], { query: "cat", mode: "hybrid", limit: 99 });
    const pages = [];
    for (let offset = 0; offset < 12; offset += 3) {
      pages.push(...(await store.search(["h"], { query: "cat", mode: "hybrid", limit: 3, offset })));
    }
    expect(all).toHaveLength(10);
    expect(pages.map(({ key }) => key)).toEqual(all.map(({ key }) => key));
  });

  it("needs the option index, as the mode vector does", async () => {
    const { store } = suite;
    const plain = suite.open({});
    await store.put(["h"], "k", { text: "cat" });
    for (const mode of ["vector", "hybrid"] as const) {
      await expect(plain.search(["h"], { query: "cat", mode })).rejects.toMatchObject({
        field: "options.mode",
      });
    }
    expect(await plain.search(["h"], { query: "cat", mode: "auto" })).toMatchObject([{ key: "k" }]);
    expect(await plain.search(["h"], { query: "%", mode: "text" })).toEqual([]);
  });
});

describeVectors("the index of embeddings", (target) => {
  const items = 2_000;
  const dims = 32;
  const random = numbersFrom(SEED);
  const centers = Array.from({ length: 20 }, () => Array.from({ length: dims }, random));
  const vectors = new Map(
    Array.from({ length: items }, (_, n) => [`t${n}`, near(centers[n % 20] ?? [], random)]),
  );
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await target.createDatabase();
    const embed = (texts: string[]) => texts.map((text) => vectors.get(text) ?? []);
    await using store = new PostgresStore(database.source, { index: { dims, embed, fields: ["text"] } });
    await store.putMany(
      Array.from({ length: items }, (_, n) => ({
        namespace: ["scope", `s${n % 10}`, `u${n % 500}`],
        key: `t${n}`,
        value: { text: `t${n}`, rare: n % 20 === 7, one: n === 1_234 },
      })),
    );
    await database.exec("analyze store; analyze store_vectors");
  });

  /** What a store sends for a search of a scope with more than `exactUpTo` vectors. */
  function statementsOf(
    vector: readonly number[],
    prefix: string,
    filter: Record<string, unknown>,
    exactUpTo = 0,
  ): BoundStatement<unknown>[] {
    return [
      embeddingState("public", { kind: "hnsw", effort: 100, isPlain: false }),
      searchItems("public", {
        prefix,
        filter: compileFilter(parseItemFilter(filter)),
        limit: 10,
        offset: 0,
        refreshes: false,
        vector: {
          ...{ type: "vector", distance: "cosine", unscored: false, hasIndex: true, exactUpTo, weight: 1 },
          vector: `[${vector.join()}]`,
        },
      }),
    ];
  }

  /** Runs statements in one transaction, and returns the rows of each. */
  async function run<Row>(
    statements: readonly Pick<BoundStatement<unknown>, "sql" | "parameters">[],
  ): Promise<Row[][]> {
    if (database === undefined) throw new Error("before the suite has begun");
    return database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        const rows = [];
        for (const { sql, parameters } of statements) {
          const encoded = parameters.map((value) => (typeof value === "number" ? String(value) : value));
          rows.push((await transaction.executeQuery<Row>(CompiledQuery.raw(sql, encoded))).rows);
        }
        return rows;
      });
  }

  /** Searches as a store does in a scope that is too large to compare whole. The index gives up after `most` vectors. */
  async function search(
    vector: readonly number[],
    prefix: string,
    filter: Record<string, unknown>,
    most = 20_000,
  ): Promise<string[]> {
    const giveUp = { sql: "select set_config('hnsw.max_scan_tuples', $1, true)", parameters: [String(most)] };
    const results = await run<{ key: string }>([giveUp, ...statementsOf(vector, prefix, filter)]);
    return (results.at(-1) ?? []).map(({ key }) => key);
  }

  it.each([
    ["everything", "", {}],
    ["a filter", "", { rare: true }],
    ["a comparison", "scope", { n: { $gt: 5 } }],
    ["a namespace", "scope.s3", {}],
  ])("serves a large scope, and no small one, from the first call on: %s", async (_name, prefix, filter) => {
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      for (const exactUpTo of [0, 5_000]) {
        const [settings, searched] = statementsOf(centers[0] ?? [], prefix, filter, exactUpTo);
        if (settings === undefined || searched === undefined) throw new Error("there is no statement");
        const literals = searched.parameters.map((value) =>
          typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value),
        );
        const results = await run<{ "QUERY PLAN": string }>([
          settings,
          { sql: `set local plan_cache_mode = ${mode}`, parameters: [] },
          { sql: `prepare searched as ${searched.sql}`, parameters: [] },
          {
            sql: `explain (analyze, costs off, timing off) execute searched (${literals.join()})`,
            parameters: [],
          },
          { sql: "deallocate searched", parameters: [] },
        ]);
        const plan = (results[3] ?? []).map((row) => row["QUERY PLAN"]);
        const used = plan.filter(
          (line) => line.includes("store_vectors_embedding_idx") && !line.includes("never executed"),
        );
        expect([mode, exactUpTo, used.length]).toEqual([mode, exactUpTo, exactUpTo === 0 ? 1 : 0]);
      }
    }
  });

  function best(vector: readonly number[], counts: (n: number) => boolean): string[] {
    return [...vectors]
      .filter((_, n) => counts(n))
      .map(([key, other]) => ({ key, score: scoreOf("cosine", vector, other) }))
      .sort((one, other) => other.score - one.score)
      .slice(0, 10)
      .map(({ key }) => key);
  }

  it.each([
    ["everything", "", {}, () => true],
    ["a filter that one in twenty fulfils", "", { rare: true }, (n: number) => n % 20 === 7],
    ["a namespace", "scope.s3", {}, (n: number) => n % 10 === 3],
  ] as const)("finds nearly all of the best ten of %s", async (_name, prefix, filter, counts) => {
    let hits = 0;
    for (let nth = 0; nth < 20; nth++) {
      const query = near(centers[nth] ?? [], random);
      const found = await search(query, prefix, filter);
      expect(found).toHaveLength(10);
      hits += found.filter((key) => best(query, counts).includes(key)).length;
    }
    expect(hits / 200).toBeGreaterThanOrEqual(0.98);
  });

  it("never returns less than there is, however few fulfil the filter", async () => {
    expect(await search(near(centers[0] ?? [], random), "", { one: true }, 100)).toEqual(["t1234"]);
    expect(await search(near(centers[0] ?? [], random), "scope.s4", { one: true }, 100)).toEqual(["t1234"]);
  });
});

describeVectors("the option index", (target) => {
  it("stores more dimensions than an index of vectors takes as halfvec, and refuses what can't be indexed", async () => {
    const { source, query } = await target.createDatabase().then((created) => ({
      source: created.source,
      query: (text: string) => created.query<{ type: string }>(text),
    }));
    const open = (index: StoreIndexOptions) => new PostgresStore(source, { index });
    const embed = new WordEmbedder(3_000);
    await using store = open({ dims: 3_000, embed, fields: ["text"] });
    await store.put(["d"], "k", { text: "cat" });
    expect(await store.search([], { query: "cat" })).toMatchObject([{ key: "k" }]);
    const [column] = await query(
      "select format_type(atttypid, atttypmod) as type from pg_attribute where attname = 'embedding' and attrelid = 'store_vectors'::regclass",
    );
    expect(column?.type).toBe("halfvec(3000)");
    expect(() => open({ dims: 3_000, embed, vectorType: "vector" })).toThrow(InvalidConfigError);
    expect(() => open({ dims: 5_000, embed })).toThrow('indexType: "flat"');
    expect(() => open({ dims: 3 })).toThrow("options.index.embed");
    expect(() => open({ dims: 3, embed, fields: [""] })).toThrow(InvalidConfigError);
  });

  it("calls the model before it takes the only connection, and never stores vectors of another text", async () => {
    const { source } = await target.createDatabase();
    const words = new WordEmbedder(DIMS);
    const stores: PostgresStore[] = [];
    const embed = async (texts: string[]) => {
      await stores[0]?.get(["d"], "k");
      return texts.map((text) => words.vectorOf(text));
    };
    const one = typeof source === "string" ? { connectionString: source, max: 1 } : source;
    await using opened = new PostgresStore(one, {
      index: { dims: DIMS, embed, fields: ["text", "more[*]"] },
    });
    stores.push(opened);
    const texts = ["red", "blue", "green", "yellow"];
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        texts.map((text, nth) => opened.put(["d"], "k", { text, more: texts.slice(0, nth + round) })),
      );
      const item = await opened.get<{ text: string; more: string[] }>(["d"], "k");
      const stored = [item?.value.text, ...(item?.value.more ?? [])];
      for (const text of texts) {
        const [found] = await opened.search(["d"], { query: text });
        const isStored = stored.some((each) => each === text);
        expect([text, (found?.score ?? 0) > 0.999]).toEqual([text, isStored]);
      }
    }
  });
});

// A server that has the extension can't tell what happens without it.
const describeWithout = process.env.CHECKPOINT_TEST_VECTORS === "yes" ? describe.skip : describe;

describeWithout("without pgvector", () => {
  describeServer("a store with an index", (target) => {
    it("says what to install, and creates nothing", async () => {
      const { source, query } = await target.createDatabase().then((created) => ({
        source: created.source,
        query: (text: string) => created.query<{ name: string }>(text),
      }));
      await using store = new PostgresStore(source, { index: { dims: 3, embed: new WordEmbedder(3) } });
      const error: unknown = await store.put(["d"], "k", {}).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(VectorExtensionError);
      expect(String(error)).toContain("install pgvector");
      expect(await query("select tablename as name from pg_tables where schemaname = 'public'")).toEqual([]);
    });
  });
});

/** Numbers from -1 to 1, always the same for a seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

function near(center: readonly number[], random: () => number): number[] {
  return center.map((number) => number + 0.5 * random());
}
