import assert from "node:assert/strict";
import { Embeddings } from "@langchain/core/embeddings";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { keysIn, withStoreOptions, type StoreCases, type SuiteStoreOptions } from "./store-checks.js";

/** The words that texts consist of. Each is a dimension, so that texts without a common word have the score 0. */
const WORDS = ["tea", "coffee", "rain", "sun", "train", "ship"];

const BY_TEXT = indexOf(["text"]);
const BY_TEXTS = indexOf(["texts[*]"]);

/** What a store promises about searches by meaning. Scores are those of the cosine. */
export const vectorCases: StoreCases = {
  ...withStoreOptions(BY_TEXT, {
    "a query finds the best match first, with its score": async ({ store }) => {
      await store.put(["v"], "both", { text: "tea coffee" });
      await store.put(["v"], "tea", { text: "tea" });
      await store.put(["v"], "rain", { text: "rain" });
      const found = await store.search(["v"], { query: "tea" });
      assert.deepEqual(keysIn(found), ["tea", "both", "rain"]);
      for (const [nth, score] of [1, Math.SQRT1_2, 0].entries()) closeTo(found[nth]?.score, score);
    },
  }),

  ...withStoreOptions(BY_TEXTS, {
    "the best of an item's texts decides its score": async ({ store }) => {
      await store.put(["v"], "two", { texts: ["rain", "tea"] });
      await store.put(["v"], "one", { texts: ["tea coffee"] });
      const found = await store.search(["v"], { query: "tea" });
      assert.deepEqual(keysIn(found), ["two", "one"]);
      closeTo(found[0]?.score, 1);
    },

    "a put replaces what its item is found by": async ({ store }) => {
      await store.put(["v"], "k", { texts: ["rain", "tea"] });
      await store.put(["v"], "k", { texts: ["rain"] });
      closeTo(await scoreOf(store, "tea", "k"), 0);
      closeTo(await scoreOf(store, "rain", "k"), 1);
    },
  }),

  ...withStoreOptions(BY_TEXT, {
    "a put without an index leaves nothing to find its item by": async ({ store }) => {
      await store.put(["v"], "k", { text: "tea" });
      await store.put(["v"], "k", { text: "tea" }, false);
      await store.put(["v"], "other", { text: "coffee" });
      const found = await store.search(["v"], { query: "tea" });
      assert.equal(found.find(({ key }) => key === "k")?.score, undefined);
    },

    "an item that is stored again is not found by what was deleted": async ({ store }) => {
      await store.put(["v"], "k", { text: "tea" });
      await store.delete(["v"], "k");
      await store.put(["v"], "k", { other: "no text" });
      assert.equal(await scoreOf(store, "tea", "k"), undefined);
    },

    "a put may say which of its texts are indexed": async ({ store }) => {
      await store.put(["v"], "k", { text: "tea", title: "rain", chapters: [{ text: "sun" }] }, [
        "title",
        "chapters[*].text",
      ]);
      closeTo(await scoreOf(store, "tea", "k"), 0);
      closeTo(await scoreOf(store, "rain", "k"), 1);
      closeTo(await scoreOf(store, "sun", "k"), 1);
    },

    "a filter and a namespace narrow a search by meaning": async ({ store }) => {
      await store.put(["v", "a"], "k", { text: "tea", n: 1 });
      await store.put(["v", "ab"], "k2", { text: "tea", n: 1 });
      await store.put(["v", "a", "b"], "k3", { text: "coffee", n: 1 });
      await store.put(["v", "a"], "k4", { text: "tea", n: 2 });
      const found = await store.search(["v", "a"], { query: "tea", filter: { n: { $lt: 2 } } });
      assert.deepEqual(keysIn(found), ["k", "k3"]);
    },

    "pages of a query follow one order without a gap or a repetition, first the items with a score": async (
      scene,
    ) => {
      const { store } = scene;
      for (let nth = 0; nth < 6; nth++) {
        await store.put(["v"], `scored${nth}`, { text: nth < 3 ? "tea" : "tea rain" });
        await store.put(["v"], `unscored${nth}`, { nth });
      }
      const all = await store.search(["v"], { query: "tea", limit: 100 });
      const scored = all.filter(({ score }) => score !== undefined);
      assert.deepEqual(
        keysIn(scored).map((key) => key.slice(0, 6)),
        Array(6).fill("scored"),
      );
      assert.deepEqual(keysIn(all.slice(0, 6)), keysIn(scored));
      const paged: string[] = [];
      for (let offset = 0; offset < 12; offset += 4)
        paged.push(...keysIn(await store.search(["v"], { query: "tea", limit: 4, offset })));
      assert.deepEqual(paged, keysIn(all));
      assert.equal(new Set(paged).size, paged.length);
    },

    "without a query, items with and without an index are found alike, without a score": async (scene) => {
      const { store } = scene;
      await store.put(["v"], "indexed", { text: "tea" });
      await store.put(["v"], "not", { text: "tea" }, false);
      for (const query of [undefined, ""]) {
        const found = await store.search(["v"], query === undefined ? {} : { query });
        assert.deepEqual(keysIn(found).sort(), ["indexed", "not"]);
        assert.ok(found.every(({ score }) => score === undefined));
      }
    },
  }),
};

function indexOf(fields: string[]): SuiteStoreOptions {
  return {
    get index() {
      return { dims: WORDS.length, embeddings: createEmbeddings(), fields };
    },
  };
}

/** Embeddings that count words. Created in a function, since a class of another package has an effect when a module is loaded. */
function createEmbeddings(): Embeddings {
  class WordCounts extends Embeddings {
    override embedDocuments(texts: string[]): Promise<number[][]> {
      return Promise.resolve(texts.map(countWords));
    }

    override embedQuery(text: string): Promise<number[]> {
      return Promise.resolve(countWords(text));
    }
  }
  return new WordCounts({});
}

function countWords(text: string): number[] {
  const words = text.split(/\W+/);
  return WORDS.map((word) => words.filter((each) => each === word).length);
}

async function scoreOf(store: BaseStore, query: string, key: string): Promise<number | undefined> {
  const found = await store.search(["v"], { query });
  return found.find((item) => item.key === key)?.score;
}

function closeTo(score: number | undefined, expected: number): void {
  assert.ok(score !== undefined, "an item has no score");
  assert.ok(Math.abs(score - expected) < 1e-3, `the score is ${score} instead of ${expected}`);
}
