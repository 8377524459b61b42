import { describe, expect, it } from "@jest/globals";
import { coldCases } from "../../bench/cold/cold-cases.js";
import { historiesOf } from "../../bench/growth/histories.js";
import type { GrowthResult } from "../../bench/growth/measure-growth.js";
import type { CaseResult } from "../../bench/measure/run-case.js";
import type { LoadResult } from "../../bench/measure/run-load.js";
import type { Measured } from "../../bench/report/results.js";
import { LOAD_SCENARIOS, TIMED_SCENARIOS } from "../../bench/scenarios/index.js";
import { reportedCalls, smallRunCases } from "../../bench/small-runs/small-run-cases.js";
import { storeCases } from "../../bench/store/store-cases.js";
import { recallOf, vectorCases } from "../../bench/store/vector-cases.js";
import { START_AMOUNTS } from "../../bench/scenarios/start.js";
import { judge, TARGETS } from "../../bench/targets.js";

const CACHE_SET = "cache: set of 1 × 2 kB, times as fast as in a logged table";
const size = { quick: false };
const nothing: Measured = {
  timed: [],
  pgbench: [],
  loads: [],
  smallRuns: [],
  cold: [],
  jit: [],
  amounts: [],
  growth: [],
  stores: [],
  recalls: [],
  checkpointStores: [],
  inspector: [],
};

function caseResult(name: string, latencyMs: number): CaseResult {
  const figures = { medianMs: 1, p5Ms: 1, p95Ms: 1, rounds: 1, statements: 1 };
  const floor = { ...figures, oursToFloor: 1 };
  return { name, latencyMs, detail: false, figures: { ours: figures, official: figures }, ratio: 6, floor };
}

function loadResult(name: string, latencyMs: number): LoadResult {
  const figures = { perSecond: 500, p5PerSecond: 1, p95PerSecond: 1, p50Ms: 1, p99Ms: 1, steps: 1_000 };
  const ours = { ...figures, errors: 2 };
  const all = { ours, ungrouped: ours, official: ours, memory: ours };
  return { name, threads: 1, connections: 10, latencyMs, figures: all, ratio: 2.5 };
}

function growthResult(name: string): GrowthResult {
  const figures = {
    ...{ diskMB: 100, walMB: 100, putsS: 1, lastPutP50Ms: 1, lastPutP99Ms: 1, getTupleMs: 1 },
    ...{ listFirstMs: 1, list100Ms: 1, memoryMB: 1, curve: [] },
  };
  const spliced = { ...figures, diskMB: 2, walMB: 4 };
  return { name, steps: 1, figures: { whole: figures, spliced, official: figures, delta: figures } };
}

function everythingThatRuns(): Measured {
  const names = TIMED_SCENARIOS.flatMap((scenario) => scenario.cases(size)).map(({ name }) => name);
  const loads = LOAD_SCENARIOS.flatMap((scenario) => scenario.cases(size)).map(({ name }) => name);
  const amounts = [
    { name: "memory: list() of 1000 × 200 kB, peak, MB", amounts: { ours: 200, official: 1 } },
    { name: "memory: list() of 1000 × 200 kB, peak above idle, MB", amounts: { ours: 65, official: 1 } },
    { name: "memory: list() of 200 × 1 MB, peak, MB", amounts: { ours: 300, official: "dies" } },
    { name: "memory: list() of 200 × 1 MB, peak above idle, MB", amounts: { ours: 64, official: 1 } },
    { name: CACHE_SET, amounts: { ours: 5, official: "no cache" } },
    ...Object.values(START_AMOUNTS).map((name) => ({ name, amounts: { ours: 4, official: 4 } })),
  ];
  return {
    ...nothing,
    timed: names.flatMap((name) => [0, 1].map((latencyMs) => caseResult(name, latencyMs))),
    smallRuns: smallRunCases(size)
      .flatMap(reportedCalls)
      .map(({ name }) => caseResult(name, 0)),
    cold: coldCases({ ...size, brief: false }).map(({ name }) => caseResult(name, 0)),
    stores: [...storeCases(size), ...vectorCases(size)].map(({ name }) => caseResult(name, 0)),
    recalls: vectorCases(size).map(({ name }) => ({
      name: recallOf(name),
      amounts: { ours: 0.99, official: 1 },
    })),
    loads: loads.flatMap((name) => [0, 1].map((latencyMs) => loadResult(name, latencyMs))),
    amounts,
    growth: historiesOf(size).map(({ name }) => growthResult(name)),
  };
}

// Once, because the cases of a whole run have large values.
const EVERYTHING = everythingThatRuns();

function outcome(name: string, latencyMs?: number) {
  return judge(EVERYTHING).find((one) => one.name === name && one.latencyMs === latencyMs);
}

describe("the targets", () => {
  it("are all of figures that a whole run measures", () => {
    const judged = new Set(judge(EVERYTHING).map(({ name }) => name));
    expect([...judged]).toEqual(TARGETS.map(({ name }) => name));
  });

  it("are met by what reaches them exactly, each at its distance", () => {
    const name = "put, 5 channels × 2 kB: times as fast";
    expect(outcome(name, 0)).toMatchObject({ bound: "≥", wanted: 3, reached: 6, met: true });
    expect(outcome(name, 1)).toMatchObject({ wanted: 6, met: true });
    expect(outcome("put, 20 channels × 2 kB: times as fast", 1)).toMatchObject({ wanted: 16, met: false });
    expect(outcome("put, 20 channels × 2 kB: times as fast", 0)).toBeUndefined();
  });

  it("count two operations a super-step, and errors as a share of the steps", () => {
    expect(outcome("super-steps, 64 threads at once: operations a second", 0)?.reached).toBe(1_000);
    expect(outcome("super-steps, 64 threads at once: % errors", 0)).toMatchObject({
      reached: 0.2,
      met: false,
    });
  });

  it("compare splices with the official saver and with whole values", () => {
    const disk = "a chat, with `splices`: times the disk of the official saver";
    expect(outcome(disk)).toMatchObject({ bound: "≤", wanted: 0.02, reached: 0.02, met: true });
    const wal = "a chat, with `splices`: times the WAL of the official saver";
    expect(outcome(wal)).toMatchObject({ reached: 0.04, met: false });
  });

  it("are missed by too much memory, and go by the highest peak", () => {
    expect(outcome("memory: list() of 1000 × 200 kB, peak above idle, MB")?.met).toBe(false);
    expect(outcome("memory: list() of 200 × 1 MB, peak above idle, MB")?.met).toBe(true);
    expect(outcome("memory, the highest peak of all, MB")).toMatchObject({ reached: 300, met: true });
  });

  it("compare the unlogged table of a cache with a logged one", () => {
    expect(outcome(CACHE_SET)).toMatchObject({ bound: "≥", wanted: 5, reached: 5, met: true });
  });

  it("are left out where nothing was measured", () => {
    expect(judge(nothing)).toEqual([]);
  });
});
