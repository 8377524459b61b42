import type { GrowthResult } from "./growth/measure-growth.js";
import type { CaseResult } from "./measure/run-case.js";
import type { LoadResult } from "./measure/run-load.js";
import type { AmountResult, Measured } from "./report/results.js";
import { recallOf } from "./store/vector-cases.js";

/** Whether a figure has to reach at least or at most what is wanted. */
export type Bound = "≥" | "≤";

/** A figure of a run, and what it has to be. */
export interface Target {
  readonly name: string;
  readonly bound: Bound;
  /** The figures by distance in milliseconds, or one number where there is no distance. */
  readonly wanted: number | Readonly<Record<number, number>>;
  /** `undefined` where it was not measured. */
  reached(measured: Measured, latencyMs: number): number | undefined;
}

type ByLatency = Readonly<Record<number, number>>;

/** A case that has to be so many times as fast as with the official saver. */
export function timesAsFast(name: string, wanted: ByLatency): Target {
  return ofCase(name, "times as fast", "≥", wanted, ({ ratio }) => ratio);
}

/** The number of our statements in a call of a case. */
export function ofStatements(name: string, wanted: ByLatency): Target {
  return ofCase(name, "statements", "≤", wanted, ({ figures }) => figures.ours.statements);
}

/** A figure of a case. */
export function ofCase(
  name: string,
  unit: string,
  bound: Bound,
  wanted: ByLatency,
  pick: (result: CaseResult) => number | undefined,
): Target {
  return {
    name: `${name}: ${unit}`,
    bound,
    wanted,
    reached: ({ timed, smallRuns, cold, stores }, latencyMs) => {
      const result = [...timed, ...smallRuns, ...cold, ...stores].find(
        (one) => one.name === name && one.latencyMs === latencyMs,
      );
      return result && pick(result);
    },
  };
}

/** Our errors, as a share of the steps. */
export function percentOfErrors({ figures: { ours } }: LoadResult): number {
  return (ours.errors / ours.steps) * 100;
}

/** A figure of many concurrent threads. */
export function ofLoad(
  name: string,
  unit: string,
  bound: Bound,
  wanted: ByLatency,
  pick: (result: LoadResult) => number,
): Target {
  return {
    name: `${name}: ${unit}`,
    bound,
    wanted,
    reached: ({ loads }, latencyMs) => {
      const result = loads.find((one) => one.name === name && one.latencyMs === latencyMs);
      return result && pick(result);
    },
  };
}

/** Our peak of memory above that of an idle process. */
export function ofMemory(what: string, wanted: number): Target {
  const name = `memory: ${what}, peak above idle, MB`;
  return {
    name,
    bound: "≤",
    wanted,
    reached: ({ amounts }) => numberOf(amounts.find((one) => one.name === name)),
  };
}

/** Our weight, or the time of a start, in that of the official saver. */
export function ofStart(name: string, wanted: number): Target {
  return {
    name: `${name}: times that of the official saver`,
    bound: "≤",
    wanted,
    reached: ({ amounts: all }) => {
      const amounts = all.find((one) => one.name === name)?.amounts;
      if (typeof amounts?.ours !== "number" || typeof amounts.official !== "number") return undefined;
      return amounts.ours / amounts.official;
    },
  };
}

/** A figure of a growing thread. */
export function ofGrowth(
  history: string,
  unit: string,
  wanted: number,
  pick: (figures: GrowthResult["figures"]) => number,
): Target {
  return {
    name: `${history}, with \`splices\`: ${unit}`,
    bound: "≤",
    wanted,
    reached: ({ growth }) => {
      const result = growth.find(({ name }) => name.startsWith(`growth: ${history}`));
      return result && pick(result.figures);
    },
  };
}

/** Which part of the most similar items our search finds. */
export function ofRecall(search: string, wanted: number): Target {
  const name = recallOf(search);
  return {
    name,
    bound: "≥",
    wanted,
    reached: ({ recalls }) => numberOf(recalls.find((one) => one.name === name)),
  };
}

/** Our highest peak of memory. */
export function highestPeak(amounts: readonly AmountResult[]): number | undefined {
  const peaks = amounts.filter(({ name }) => name.endsWith("peak, MB")).map(numberOf);
  const known = peaks.filter((peak) => peak !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Our amount, where it is a number. */
export function numberOf(result: AmountResult | undefined): number | undefined {
  const ours = result?.amounts.ours;
  return typeof ours === "number" ? ours : undefined;
}
