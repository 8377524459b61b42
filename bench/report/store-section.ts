import type { CaseResult } from "../measure/run-case.js";
import { EXPLANATION, placeOf, timesTable } from "./timed-sections.js";

/** Formats the times of the stores as a table for each route. */
export function storeSections(stores: readonly CaseResult[]): string[] {
  return [...new Set(stores.map(({ latencyMs }) => latencyMs))].map((latencyMs) => {
    const timed = stores.filter((result) => result.latencyMs === latencyMs);
    return `## The store, ${placeOf(latencyMs)}\n\n${EXPLANATION}\n\n${timesTable(timed)}`;
  });
}
