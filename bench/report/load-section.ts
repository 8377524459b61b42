import type { LoadFigures } from "../measure/load-tally.js";
import type { LoadResult } from "../measure/run-load.js";
import { significant, spread } from "./figures.js";
import { markdownTable } from "./markdown-table.js";

/** Formats the steps of many concurrent threads as a table. */
export function loadSection(loads: readonly LoadResult[]): string {
  const header = ["threads", "ms each way", "this library", "p50, p99 ms", "errors"];
  const rows = loads.map(({ threads, latencyMs, figures: { ours, official }, ratio }) => [
    `${threads}`,
    `${latencyMs}`,
    ...cells(ours),
    ...cells(official),
    `${significant(ratio)} ×`,
  ]);
  return `## Super-steps a second

Each is \`putWrites\` of three writes and \`put\` of the three channels of 2 kB that changed, on threads of their own, over a pool
of \`pg\`'s own size, which is 10. Medians of slices, in brackets the 5th and the 95th percentile; the time of one super-step.

${markdownTable([...header, "official", "p50, p99 ms", "errors", "times as many"], rows)}`;
}

function cells({ perSecond, p5PerSecond, p95PerSecond, p50Ms, p99Ms, errors, steps }: LoadFigures): string[] {
  return [
    spread(perSecond, p5PerSecond, p95PerSecond),
    `${significant(p50Ms)}, ${significant(p99Ms)}`,
    `${errors} of ${steps}`,
  ];
}
