import type { TargetResult } from "../targets.js";
import { significant } from "./figures.js";
import { markdownTable } from "./markdown-table.js";

/** Formats the targets and the measured figures as a table. */
export function targetSection(targets: readonly TargetResult[]): string {
  const rows = targets.map(({ name, latencyMs, bound, wanted, reached, met }) => [
    name,
    latencyMs === undefined ? "" : `${latencyMs}`,
    `${bound} ${Number(wanted.toFixed(3))}`,
    significant(reached),
    met ? "yes" : "no",
  ]);
  return `## Targets

${markdownTable(["figure", "ms each way", "target", "reached", "met"], rows)}`;
}
