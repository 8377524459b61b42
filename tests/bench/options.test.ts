import { describe, expect, it } from "@jest/globals";
import { parseBenchOptions } from "../../bench/options.js";

describe("the command line of the benchmark", () => {
  it("asks by default for everything, directly and with 1 ms each way", () => {
    expect(parseBenchOptions([])).toEqual({
      quick: false,
      brief: false,
      help: false,
      only: "",
      shard: { index: 0, count: 1 },
      latencyMs: 1,
      out: "bench/results",
    });
  });

  it("writes no partial results, unless --out names a folder", () => {
    expect(parseBenchOptions(["--quick"]).out).toBeUndefined();
    expect(parseBenchOptions(["--brief"])).toMatchObject({ brief: true, out: undefined });
    expect(parseBenchOptions(["--only", "Put, 5"])).toMatchObject({ only: "put, 5", out: undefined });
    expect(parseBenchOptions(["--shard", "2/3"])).toMatchObject({
      shard: { index: 1, count: 3 },
      out: undefined,
    });
    expect(parseBenchOptions(["--only", "put", "--out", "there"]).out).toBe("there");
  });

  it("is refused where it can't be used", () => {
    expect(() => parseBenchOptions(["--latency", "soon"])).toThrow("--latency");
    expect(() => parseBenchOptions(["--shard", "3/2"])).toThrow("--shard");
    expect(() => parseBenchOptions(["--fast"])).toThrow("--fast");
  });
});
