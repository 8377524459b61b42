import { describe, expect, it } from "@jest/globals";
import { parseChaosArguments } from "./parse-arguments.js";

describe("parseChaosArguments", () => {
  it("defaults to three minutes, our saver and a random seed", () => {
    const { seed, ...others } = parseChaosArguments([], {});
    expect(Number.isInteger(seed)).toBe(true);
    expect(others).toEqual({
      ...{ saver: "ours", only: "", minutes: 3 },
      ...{ forks: true, sabotage: false, writes: false, help: false },
    });
  });

  it("reads the command line and the environment", () => {
    const env = { CHAOS_MINUTES: "0.5", CHAOS_SEED: "7", CHAOS_REPORT: "write" };
    const given = ["--saver", "official", "--only", "killed", "--no-forks", "--sabotage"];
    expect(parseChaosArguments(given, env)).toEqual({
      ...{ seed: 7, saver: "official", only: "killed", minutes: 0.5 },
      ...{ forks: false, sabotage: true, writes: true, help: false },
    });
  });

  it.each([
    [["--saver", "other"], {}],
    [["--faults"], {}],
    [[], { CHAOS_MINUTES: "soon" }],
    [[], { CHAOS_MINUTES: "0" }],
    [[], { CHAOS_SEED: "-1" }],
    [[], { CHAOS_REPORT: "maybe" }],
  ])("refuses invalid arguments: %j %j", (args, env) => {
    expect(() => parseChaosArguments(args, env)).toThrow();
  });
});
