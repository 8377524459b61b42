import { significant, spread } from "../report/figures.js";
import { markdownTable } from "../report/markdown-table.js";
import type { CitusLoad, CitusResults } from "./measure-citus.js";
import { type SideId, SIDES } from "./sides.js";

const IDS = Object.keys(SIDES) as SideId[];

/** Formats what a run has measured. */
export function citusToMarkdown({ loads, cluster, machine, version, finishedAt }: CitusResults): string {
  const load = `${significant(machine.load.atStart)} to ${significant(machine.load.atEnd)}`;
  return `# Citus

Steps a second on a cluster, whose servers all share one machine, and on its coordinator without Citus.
[How they are made](../../README.md#citus).

langgraph-checkpoint-kysely ${version} · ${machine.server} · ${cluster.nodes} nodes, ${cluster.shards} shards · Node.js ${machine.node} · ${machine.cpus} × ${machine.cpuModel} · load ${load} · ${finishedAt}

Medians of slices, in brackets the 5th and the 95th percentile:

${table(loads, ({ perSecond, p5PerSecond, p95PerSecond }) => spread(perSecond, p5PerSecond, p95PerSecond))}

The time of one super-step, p50 and p99 in milliseconds:

${table(loads, ({ p50Ms, p99Ms, errors }) => `${significant(p50Ms)}, ${significant(p99Ms)}${errors > 0 ? `, ${errors} errors` : ""}`)}
`;
}

function table(loads: readonly CitusLoad[], cell: (figures: CitusLoad["figures"][SideId]) => string): string {
  return markdownTable(
    ["", ...loads.map(({ threads }) => `${threads} thread${threads === 1 ? "" : "s"} at once`)],
    IDS.map((id) => [SIDES[id], ...loads.map(({ figures }) => cell(figures[id]))]),
  );
}
