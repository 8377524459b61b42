import { describe, expect, it } from "@jest/globals";
import { Overwrite } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { foldWrites } from "./fold-writes.js";

const append = (current: unknown, update: unknown): unknown[] => [...((current ?? []) as unknown[]), update];
const history = (...values: unknown[]) => ({
  writes: values.map((value) => ["task", "a", value] as [string, string, unknown]),
});

describe("the value of a channel after its history", () => {
  it("is nothing where nothing was written", () => {
    expect(foldWrites(history(), append)).toBeUndefined();
    expect(foldWrites(undefined, append)).toBeUndefined();
  });

  it("begins with the seed, out of its snapshot", () => {
    expect(foldWrites({ ...history(2), seed: new DeltaSnapshot([1]) }, append)).toEqual([1, 2]);
    expect(foldWrites({ ...history(2, 3), seed: [1] }, append)).toEqual([1, 2, 3]);
    expect(foldWrites({ ...history(), seed: new DeltaSnapshot([1]) }, append)).toEqual([1]);
  });

  it.each([
    ["an Overwrite", new Overwrite([7])],
    ["one that was read without LangGraph", { __overwrite__: [7] }],
    ["one as plain data", { type: "__overwrite__", value: [7] }],
  ])("begins anew with %s", (_name, overwrite) => {
    expect(foldWrites({ ...history(1, overwrite, 8), seed: [0] }, append)).toEqual([7, 8]);
  });

  it("begins anew with nothing where that holds nothing", () => {
    expect(foldWrites(history(1, { __overwrite__: null }, 8), append)).toEqual([8]);
  });
});
