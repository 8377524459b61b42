import { type Damage, describePlace } from "../../errors/index.js";
import type { PruneReport, UnprovenNamespace } from "../../retention/retention-types.js";
import type { RowCounts } from "../../saver/model/row-counts.js";
import { countOf, humanBytes } from "./format-numbers.js";
import { printable } from "./printable.js";
import type { LeftRows } from "../../backup/left-threads.js";

/** How many threads or files are listed by name. */
const MAX_NAMED = 10;

/** Row counts for people: `2 checkpoints, 3 values and 1 write (1.2 kB)`. */
export function describeCounts({ checkpoints, writes, blobs, bytes }: RowCounts): string {
  return (
    `${countOf(checkpoints, "checkpoint")}, ${countOf(blobs, "value")} and ${countOf(writes, "write")} ` +
    `(${humanBytes(bytes)})`
  );
}

/** Whether there is at least one row. */
export function hasRows({ checkpoints, writes, blobs }: RowCounts): boolean {
  return checkpoints + writes + blobs > 0;
}

/** The rows of a prune, for people: `2 checkpoints, 3 values and 1 write (1.2 kB) of 1 thread`. */
export function describePruned(rows: RowCounts & Pick<PruneReport, "threads">): string {
  return `${describeCounts(rows)} of ${countOf(rows.threads, "thread")}`;
}

/** A line that lists the threads that were not found; empty if all were found. */
export function describeNotFound({ missing }: Pick<PruneReport, "missing">): string {
  return describeNamed("not found", missing);
}

/** A line that names the threads with rows that look like orphans and stay; empty if there are none. */
export function describeUnproven({
  unproven: { blobs, writes, bytes, namespaces },
}: Pick<PruneReport, "unproven">): string {
  if (blobs + writes === 0) return "";
  const threads = new Set(namespaces.map(({ threadId, reason }) => `${threadId} (${REASON[reason]})`));
  const left = `left, though nothing references them: ${countOf(blobs, "value")} and ${countOf(writes, "write")} (${humanBytes(bytes)})`;
  return `\n${left}${describeNamed("of", [...threads])}`;
}

const REASON: Readonly<Record<UnprovenNamespace["reason"], string>> = {
  unreadable: "a damaged checkpoint may reference them: see verify",
  "no-checkpoint": "no checkpoint: a restore may be under way",
  recent: "not known for an hour; --delete-unproven deletes them",
};

/** A line for each row that was left because it is damaged; empty if there is none. */
export function describeDamaged({ damaged }: { readonly damaged: readonly Damage[] }): string {
  return describePlaces("left, because they can't be read (`repair` shows what can be done)", damaged);
}

/** A line for each row under a title; empty if there is none. */
export function describePlaces(title: string, damaged: readonly Damage[]): string {
  if (damaged.length === 0) return "";
  const listed = damaged
    .slice(0, MAX_NAMED)
    .map((row) => `\n  ${printable(`${describePlace(row)}: ${row.reason}`)}`);
  const others = damaged.length > MAX_NAMED ? `\n  and ${damaged.length - MAX_NAMED} more: see --json` : "";
  return `\n${title}:${listed.join("")}${others}`;
}

/** A line that lists names under a title; empty if there are none. */
export function describeNamed(title: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const others = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `\n${title}: ${names.slice(0, MAX_NAMED).map(printable).join(", ")}${others}`;
}

/** Lines that name the threads that an import or a restore has left; empty if there are none. */
export function describeLeft({ damaged, tombstoned }: LeftRows): string {
  return (
    describePlaces("left (`verify` finds rows that are damaged)", damaged) +
    describeNamed("deleted, and left (`tombstones lift` allows writes to them again)", tombstoned)
  );
}
