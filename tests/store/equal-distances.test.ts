import { beforeEach, describe, expect, it } from "@jest/globals";
import type { SearchOptions } from "../../src/store/index.js";
import { describeVectors } from "../../test-support/targets.js";
import { WordEmbedder } from "./embedder.js";
import { bytewise } from "./model/matches.js";
import { useStore } from "./stored.js";

/** Items of few texts, more of each than a search compares, and of few times, in namespaces that share keys, stored in another order than that of a search. */
const ITEMS = Array.from({ length: 120 }, (_, n) => ({
  namespace: [["a"], ["a", "b"], ["ab"]][Math.floor(n / 40)] ?? [],
  key: `k${(n * 7) % 40}`,
  value: { n, day: (n * 13) % 29, even: n % 2 === 0, text: ["cat", "cat", "dog", "cat", "cat bird"][n % 5] },
}));

/** The order of a search for a cat: cosines, then the newest, then namespaces and keys. */
const SCORES: Readonly<Record<string, number>> = { cat: 1, "cat bird": 0.7, dog: 0 };
const inOrder = ITEMS.toSorted(
  (one, other) =>
    (SCORES[other.value.text ?? ""] ?? 0) - (SCORES[one.value.text ?? ""] ?? 0) ||
    other.value.day - one.value.day ||
    bytewise(one.namespace.join("."), other.namespace.join(".")) ||
    bytewise(one.key, other.key),
);

const FILTERS: readonly (readonly [
  SearchOptions["filter"],
  (value: (typeof ITEMS)[number]["value"]) => boolean,
])[] = [
  [undefined, () => true],
  [{ even: true }, ({ even }) => even],
  [{ n: { $gte: 5 } }, ({ n }) => n >= 5],
];

describeVectors("of items with equal distances", (target) => {
  describe.each(["flat", "hnsw"] as const)("with the index %s", (indexType) => {
    const index = { dims: 64, embed: new WordEmbedder(64), fields: ["text"], indexType };
    const suite = useStore(target, { index });
    beforeEach(async () => {
      await suite.store.putMany(ITEMS);
      await suite.database.exec(
        "update store set updated_at = '2026-01-01'::timestamptz + (value->>'day')::int * interval '1 day'",
      );
    });

    it("each page has the newest, whatever its limit, scope and filter", async () => {
      for (const [filter, counts] of FILTERS) {
        for (const prefix of [[], ["a"]]) {
          const expected = inOrder.filter(
            ({ namespace, value }) => counts(value) && prefix.every((label, nth) => namespace[nth] === label),
          );
          for (const [limit, offset] of [
            [1, 0],
            [2, 1],
            [3, 5],
            [5, 9],
            [99, 3],
          ] as const) {
            const options = { query: "cat", mode: "vector" as const, filter, limit, offset };
            const found = await suite.store.search(prefix, options);
            expect(found.map(({ namespace, key }) => [...namespace, key].join("."))).toEqual(
              expected
                .slice(offset, offset + limit)
                .map(({ namespace, key }) => [...namespace, key].join(".")),
            );
          }
        }
      }
    });
  });
});
