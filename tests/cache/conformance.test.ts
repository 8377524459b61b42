import { describe, expect, it } from "@jest/globals";
import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { cacheSuite } from "../../src/conformance/cache-suite.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

/** What LangGraph's own cache gets wrong. */
const FAILURES_IN_MEMORY = new Set([
  "answers a key once that was asked for twice",
  "keeps labels apart, whatever they contain",
  "takes keys and labels that objects have themselves",
]);

describeEachTarget("the cache suite", (target) => {
  const suite = useCache(target);
  const create = () => {
    const cache = suite.open();
    return Promise.resolve({ cache, close: () => cache.end() });
  };

  it.each(cacheSuite(create).map((each) => [each.name, each] as const))("%s", (_name, each) => each.run());
});

describe("the cache suite on InMemoryCache", () => {
  const create = () => Promise.resolve({ cache: new InMemoryCache() });

  it.each(cacheSuite(create).map((each) => [each.name, each] as const))("%s", async (name, each) => {
    if (FAILURES_IN_MEMORY.has(name)) await expect(each.run()).rejects.toThrow();
    else await each.run();
  });

  it("lists only failures of existing cases", () => {
    const names = cacheSuite(create).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...FAILURES_IN_MEMORY]));
  });
});
