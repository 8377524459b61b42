import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { describeServer } from "../../test-support/targets.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { useCache } from "./cached.js";

const at = (key: string): CacheFullKey => [["ns"], key];

describeServer("a cache's telemetry", (target) => {
  const suite = useCache(target);
  let sdk: InMemorySdk;
  beforeAll(() => {
    sdk = new InMemorySdk().start();
  });
  afterAll(() => sdk.stop());

  it("has a span for each call, and the entries by what has become of them", async () => {
    const logger = new RecordingLogger();
    const cache = suite.open({ logger });
    const before = sdk.spans.length;
    await cache.set([
      { key: at("a"), value: "secret a" },
      { key: at("function"), value: () => "secret b" },
    ]);
    await cache.get([at("a"), at("none")]);
    await cache.clear([]);
    const spans = sdk.spans.slice(before);
    const names = spans.map(({ name }) => name).filter((name) => !name.startsWith("cache.setup"));
    expect(names).toEqual([
      "cache.set cache_entries",
      "cache.get cache_entries",
      "cache.clear cache_entries",
    ]);
    const counted = (await sdk.measured()).get("langgraph.checkpoint.cache.entries");
    const outcomes = counted?.dataPoints.map(({ attributes, value }) => [
      attributes["langgraph.checkpoint.outcome"],
      value,
    ]);
    expect(Object.fromEntries(outcomes ?? [])).toMatchObject({ hit: 1, miss: 1, stored: 1, refused: 1 });
    expect(logger.at("warn")).toMatchObject([
      { message: "an entry was not cached", fields: { code: "SERIALIZATION_FAILED" } },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain("secret");
  });
});
