import type { PruneReport } from "../retention/pruning.js";
import { describeCounts } from "./output/describe-rows.js";
import { counted } from "./output/format-numbers.js";

/** How many missing threads are named. */
const MISSING_NAMED = 10;

/** What goes, or went: `2 checkpoints, 3 values and 1 write (1.2 kB) of 1 thread`. */
export function describePruned(rows: PruneReport): string {
  return `${describeCounts(rows)} of ${counted(rows.threads, "thread")}`;
}

/** A line that names the threads which are not there; empty where all are. */
export function describeMissing({ missing }: Pick<PruneReport, "missing">): string {
  if (missing.length === 0) return "";
  const others = missing.length > MISSING_NAMED ? ` and ${missing.length - MISSING_NAMED} more` : "";
  return `\nnot there: ${missing.slice(0, MISSING_NAMED).join(", ")}${others}`;
}
