import type { CaseResult } from "../measure/run-case.js";
import { markdownTable } from "./markdown-table.js";
import type { AmountResult } from "./results.js";
import { sectionsByPlace } from "./timed-sections.js";

/** Formats the times of the stores as a table for each route, and the recall of searches by vectors. */
export function storeSections(stores: readonly CaseResult[], recalls: readonly AmountResult[]): string[] {
  const times = sectionsByPlace("The store", stores);
  if (recalls.length === 0) return times;
  const rows = recalls.map(({ name, amounts: { ours, official } }) => [name, share(ours), share(official)]);
  return [...times, markdownTable(["", "this library", "official"], rows)];
}

function share(amount: number | string): string {
  return typeof amount === "number" ? amount.toFixed(3) : amount;
}
