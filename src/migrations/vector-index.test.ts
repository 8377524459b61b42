import { createQueryId, PostgresQueryCompiler } from "kysely";
import { expect, it } from "@jest/globals";
import { distanceOfOperators, vectorIndexOn, type VectorLayout } from "./vector-layout.js";

it.each<[layout: Omit<VectorLayout, "dims">, text: string]>([
  [{}, 'using hnsw ("embedding" vector_cosine_ops) '],
  [{ type: "halfvec", distance: "l2" }, 'using hnsw ("embedding" halfvec_l2_ops) '],
  [
    { distance: "inner_product", index: { kind: "hnsw", m: 8, efConstruction: 32 } },
    'using hnsw ("embedding" vector_ip_ops) with ("m" = 8, "ef_construction" = 32)',
  ],
  [
    { index: { kind: "hnsw", efConstruction: 32 } },
    'using hnsw ("embedding" vector_cosine_ops) with ("ef_construction" = 32)',
  ],
  [{ index: { kind: "ivfflat" } }, 'using ivfflat ("embedding" vector_cosine_ops) '],
  [
    { index: { kind: "ivfflat", lists: 50 } },
    'using ivfflat ("embedding" vector_cosine_ops) with ("lists" = 50)',
  ],
])("the index of the layout %j is made by %s", (layout, text) => {
  const on = vectorIndexOn("embedding", { dims: 3, ...layout });
  expect(new PostgresQueryCompiler().compileQuery(on.toOperationNode(), createQueryId()).sql).toBe(text);
});

it.each([
  ["vector_cosine_ops", "cosine"],
  ["halfvec_l2_ops", "l2"],
  ["vector_ip_ops", "inner_product"],
  ["bit_hamming_ops", undefined],
])("an index with the operators %s compares by %s", (operators, distance) => {
  expect(distanceOfOperators(operators)).toBe(distance);
});
