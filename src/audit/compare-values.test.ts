import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { compareValues } from "./compare-values.js";

const added = (path: string, value: unknown) => ({ path, after: { value } });
const removed = (path: string, value: unknown) => ({ path, before: { value } });
const changed = (path: string, before: unknown, after: unknown) => ({
  path,
  before: { value: before },
  after: { value: after },
});

const human = (content: string, id: string) => new HumanMessage({ content, id });

describe("compareValues", () => {
  it.each([
    ["no change", { a: [1] }, { a: [1] }, []],
    ["the whole value", "a", ["a"], [changed("", "a", ["a"])]],
    ["items added at the end", ["a"], ["a", "b", "c"], [added("[1]", "b"), added("[2]", "c")]],
    ["an item added in front", ["b", "c"], ["a", "b", "c"], [added("[0]", "a")]],
    ["an item removed in the middle", ["a", "b", "c"], ["a", "c"], [removed("[1]", "b")]],
    ["a changed item", ["a", "b", "c"], ["a", "x", "c"], [changed("[1]", "b", "x")]],
    ["several changed items", ["a", "b", "c", "d"], ["b", "x", "d", "e"],
      [removed("[0]", "a"), changed("[1]", "c", "x"), added("[3]", "e")]],
    ["all items removed", ["a"], [], [removed("[0]", "a")]],
    ["fields", { a: 1, b: 2, c: 3 }, { a: 1, b: 3, d: 4 },
      [changed(".b", 2, 3), removed(".c", 3), added(".d", 4)]],
    ["nested fields", { plan: { steps: [{ id: "s1", done: false }] } }, { plan: { steps: [{ id: "s1", done: true }] } },
      [changed(".plan.steps[0].done", false, true)]],
    ["a field whose name needs quotes", { "a b": 1 }, { "a b": 2 }, [changed('["a b"]', 1, 2)]],
    ["a field that is undefined", {}, { a: undefined }, [added(".a", undefined)]],
    ["an entry of a Map", new Map([["a", 1]]), new Map([["a", 2]]), [changed(".a", 1, 2)]],
    ["a Map whose keys are not text", new Map([[1, 1]]), new Map([[1, 2]]), [changed("", new Map([[1, 1]]), new Map([[1, 2]]))]],
    ["a Set", new Set([1]), new Set([2]), [changed("", new Set([1]), new Set([2]))]],
    ["an object of a class", new Date(0), {}, [changed("", new Date(0), {})]],
  ])("lists the changes: %s", (_case, before, after, changes) => {
    expect(compareValues(before, after)).toEqual(changes);
  }); // oxfmt-ignore

  it("matches messages by their ids", () => {
    const answer = new AIMessage({ content: "To the sea.", id: "a1" });
    expect(compareValues([human("Where?", "h1")], [human("Where?", "h1"), answer])).toEqual([
      added("[1]", answer),
    ]);
    expect(compareValues([human("Where?", "h1"), answer], [human("Where to?", "h1"), answer])).toEqual([
      changed("[0].content", "Where?", "Where to?"),
    ]);
    const other = human("Where?", "h2");
    expect(compareValues([human("Where?", "h1")], [other])).toEqual([
      removed("[0]", human("Where?", "h1")),
      added("[0]", other),
    ]);
  });

  it("compares very long lists", () => {
    const numbers = Array.from({ length: 20_000 }, (_, n) => n);
    expect(compareValues(numbers, [...numbers, "new"])).toEqual([added("[20000]", "new")]);
    expect(
      compareValues(
        numbers,
        numbers.map((n) => n + 1),
      ),
    ).toHaveLength(20_000);
    const long = Array.from({ length: 150_000 }, (_, n) => n);
    expect(compareValues([long], [long.map((n) => n + 0.5)])).toHaveLength(150_000);
  });
});
