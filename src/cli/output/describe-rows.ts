import type { PruneReport } from "../../retention/retention-types.js";
import type { RowCounts } from "../../saver/model/row-counts.js";
import { counted, humanBytes } from "./format-numbers.js";
import { printable } from "./printable.js";

/** How many threads or files are listed by name. */
const MAX_NAMED = 10;

/** Row counts for people: `2 checkpoints, 3 values and 1 write (1.2 kB)`. */
export function describeCounts({ checkpoints, writes, blobs, bytes }: RowCounts): string {
  return (
    `${counted(checkpoints, "checkpoint")}, ${counted(blobs, "value")} and ${counted(writes, "write")} ` +
    `(${humanBytes(bytes)})`
  );
}

/** Whether there is at least one row. */
export function hasRows({ checkpoints, writes, blobs }: RowCounts): boolean {
  return checkpoints + writes + blobs > 0;
}

/** The rows of a prune, for people: `2 checkpoints, 3 values and 1 write (1.2 kB) of 1 thread`. */
export function describePruned(rows: RowCounts & Pick<PruneReport, "threads">): string {
  return `${describeCounts(rows)} of ${counted(rows.threads, "thread")}`;
}

/** A line that lists the threads that were not found; empty if all were found. */
export function describeMissing({ missing }: Pick<PruneReport, "missing">): string {
  return describeNamed("not found", missing);
}

/** A line that lists names under a title; empty if there are none. */
export function describeNamed(title: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const others = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `\n${title}: ${names.slice(0, MAX_NAMED).map(printable).join(", ")}${others}`;
}
