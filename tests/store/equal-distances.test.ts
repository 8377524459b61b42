import { beforeEach, describe, expect, it } from "@jest/globals";
import type { SearchOptions } from "../../src/store/index.js";
import { describeVectors } from "../../test-support/targets.js";
import { WordEmbedder } from "./embedder.js";
import { bytewise } from "./model/matches.js";
import { useStore } from "./stored.js";

/**
 * Items of few texts, more of each than a search compares, and some without one. They have few times, are in namespaces that share keys but
 * not the texts of them, and are stored in another order than that of a search.
 */
const ITEMS = Array.from({ length: 120 }, (_, n) => {
  const text =
    n % 6 === 5 ? undefined : ["cat", "cat cat", "dog", "cat", "cat bird"][(n + Math.floor(n / 40)) % 5];
  return {
    namespace: [["a"], ["a", "b"], ["ab"]][Math.floor(n / 40)] ?? [],
    key: `k${(n * 7) % 40}`,
    value: {
      n,
      day: (n * 13) % 29,
      even: n % 2 === 0,
      ...(text === undefined ? {} : { text, ...(n % 4 === 0 ? { more: "bird" } : {}) }),
    },
  };
});

type Item = (typeof ITEMS)[number];

/** The order of items of the same score: the newest, then namespaces and keys. */
function newestFirst(one: Item, other: Item): number {
  return (
    other.value.day - one.value.day ||
    bytewise(one.namespace.join("."), other.namespace.join(".")) ||
    bytewise(one.key, other.key)
  );
}

function bestFirst(score: (item: Item) => number, items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => score(other) - score(one) || newestFirst(one, other));
}

/** Cosines with the query "cat", those of the better vector of an item with two. Items without a text come last. */
const COSINES: Readonly<Record<string, number>> = { cat: 1, "cat cat": 1, "cat bird": 0.7, dog: 0 };
const cosine = ({ value }: Item) => (value.text === undefined ? -1 : (COSINES[value.text] ?? 0));

/** How often an item has the word "cat". */
const words = ({ value }: Item) => value.text?.split("cat").length ?? 1;
const hasWord = (item: Item) => words(item) > 1;

/** The reciprocal ranks of both searches, of which each tells the best `ranked` items. */
function fused(items: readonly Item[], ranked: number): (item: Item) => number {
  const lists = [
    bestFirst(
      cosine,
      items.filter(({ value }) => value.text !== undefined),
    ),
    bestFirst(words, items.filter(hasWord)),
  ];
  return (item) =>
    lists
      .map((list) => list.slice(0, ranked).indexOf(item))
      .reduce((sum, rank) => sum + (rank < 0 ? 0 : 0.5 / (61 + rank)), 0);
}

const FILTERS: readonly (readonly [SearchOptions["filter"], (item: Item) => boolean])[] = [
  [undefined, () => true],
  [{ even: true }, ({ value }) => value.even],
  [{ n: { $gte: 5 } }, ({ value }) => value.n >= 5],
];

const PAGES = [
  [1, 0],
  [2, 1],
  [3, 5],
  [5, 9],
  [99, 3],
] as const;

const placesOf = (items: readonly { namespace: readonly string[]; key: string }[]) =>
  items.map(({ namespace, key }) => [...namespace, key].join("."));

describeVectors("of items with equal distances", (target) => {
  describe.each(["flat", "hnsw"] as const)("with the index %s", (indexType) => {
    const index = { dims: 64, embed: new WordEmbedder(64), fields: ["text", "more"], indexType };
    const suite = useStore(target, { index });
    beforeEach(async () => {
      await suite.store.putMany(ITEMS);
      await suite.database.exec(
        "update store set updated_at = '2026-01-01'::timestamptz + (value->>'day')::int * interval '1 day'",
      );
    });

    it.each(["vector", "hybrid", "text"] as const)(
      "each page of a search by %s has the best and then the newest, whatever its limit, scope and filter",
      async (mode) => {
        for (const [filter, counts] of FILTERS) {
          for (const prefix of [[], ["a"]]) {
            const items = ITEMS.filter(
              (item) =>
                counts(item) &&
                (mode !== "text" || hasWord(item)) &&
                prefix.every((label, nth) => item.namespace[nth] === label),
            );
            for (const [limit, offset] of PAGES) {
              const score = { vector: cosine, hybrid: fused(items, 4 * (limit + offset)), text: words }[mode];
              const found = await suite.store.search(prefix, { query: "cat", mode, filter, limit, offset });
              expect(placesOf(found)).toEqual(
                placesOf(bestFirst(score, items).slice(offset, offset + limit)),
              );
            }
          }
        }
      },
    );

    it("an item of a large scope that has no vector comes once, and none of another scope does", async () => {
      await suite.database.exec(`
        insert into store (prefix, key, value, updated_at)
        select case when n % 50 = 1 then 'other' else 'wide' end, n, jsonb_build_object('even', n % 2 = 0, 'n', n),
          '2027-01-01'::timestamptz + n * interval '1 s' from generate_series(1, 1202) as n`);
      for (const filter of [{ even: false }, { n: { $lt: 1_202 } }]) {
        const found = await suite.store.search(["wide"], { query: "cat", mode: "vector", filter, limit: 3 });
        expect(found.map(({ key }) => key)).toEqual(
          "even" in filter ? ["1199", "1197", "1195"] : ["1200", "1199", "1198"],
        );
      }
    });
  });
});
