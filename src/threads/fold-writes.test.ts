import { describe, expect, it } from "@jest/globals";
import { Overwrite } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { foldWrites } from "./rebuild-delta-values.js";

const append = (current: unknown, update: unknown): unknown[] => [...((current ?? []) as unknown[]), update];
const history = (...values: unknown[]) => ({
  writes: values.map((value) => ["task", "a", value] as [string, string, unknown]),
});

describe("foldWrites", () => {
  it("returns undefined without writes", () => {
    expect(foldWrites(history(), append)).toBeUndefined();
    expect(foldWrites(undefined, append)).toBeUndefined();
  });

  it("begins with the seed, or the value of its snapshot", () => {
    expect(foldWrites({ ...history(2), seed: new DeltaSnapshot([1]) }, append)).toEqual([1, 2]);
    expect(foldWrites({ ...history(2, 3), seed: [1] }, append)).toEqual([1, 2, 3]);
    expect(foldWrites({ ...history(), seed: new DeltaSnapshot([1]) }, append)).toEqual([1]);
  });

  it.each([
    ["an Overwrite", new Overwrite([7])],
    ["an Overwrite read without LangGraph", { __overwrite__: [7] }],
    ["an Overwrite as plain data", { type: "__overwrite__", value: [7] }],
  ])("replaces the value with that of %s", (_name, overwrite) => {
    expect(foldWrites({ ...history(1, overwrite, 8), seed: [0] }, append)).toEqual([7, 8]);
  });

  it("empties the channel with an empty Overwrite", () => {
    expect(foldWrites(history(1, { __overwrite__: null }, 8), append)).toEqual([8]);
  });
});
