import { expect, it } from "@jest/globals";
import { searchItems } from "./search-items.js";
import type { VectorSearch } from "./search-shape.js";

const VECTOR: VectorSearch = {
  ...{ unscored: false, hasIndex: true, exactUpTo: 100, weight: 1, vector: "[1]" },
  type: "vector",
  distance: "cosine",
};
const TEXT = { query: "cat", language: "english", everyWord: false, unscored: false };

it.each([
  [1, 0, undefined, 40],
  [10, 0, undefined, 40],
  [11, 0, undefined, 80],
  [5, 6, undefined, 80],
  [100, 0, undefined, 640],
  [2, 0, TEXT, 40],
  [3, 0, TEXT, 80],
  [10, 0, TEXT, 160],
])(
  "a search for %d items behind %d compares few numbers of vectors, enough for each: %j",
  (limit, offset, text, most) => {
    const filter = { shape: { kind: "all", shapes: [] }, params: {} } as const;
    const search = { prefix: "", filter, limit, offset, refreshes: false, text, vector: VECTOR };
    const { sql } = searchItems("public", search);
    expect(new Set([...sql.matchAll(/fetch first (\d+) rows with ties/g)].map(([, n]) => Number(n)))).toEqual(
      new Set([most]),
    );
  },
);
