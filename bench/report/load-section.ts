import type { LoadFigures } from "../measure/load-tally.js";
import { LOADED_SAVERS, type LoadResult, type SaverId } from "../measure/run-load.js";
import { significant, spread } from "./figures.js";
import { markdownTable } from "./markdown-table.js";

const IDS = Object.keys(LOADED_SAVERS) as SaverId[];

/** Formats the steps of many concurrent threads as two tables: how many there are, and how long one takes. */
export function loadSection(loads: readonly LoadResult[]): string {
  const place = ["threads", "pool", "ms each way"];
  const titles = IDS.map((id) => LOADED_SAVERS[id]);
  const rates = rows(loads, ({ perSecond, p5PerSecond, p95PerSecond }) =>
    spread(perSecond, p5PerSecond, p95PerSecond),
  );
  const times = rows(
    loads,
    ({ p50Ms, p99Ms, errors }) =>
      `${significant(p50Ms)}, ${significant(p99Ms)}${errors > 0 ? `, ${errors} errors` : ""}`,
  );
  return `## Super-steps a second

Each is \`putWrites\` of three writes and \`put\` of the three channels of 2 kB that changed, on threads of their own. Medians of
slices, in brackets the 5th and the 95th percentile.

${markdownTable(
  [...place, ...titles, "times as many as official"],
  rates.map((row, index) => [...row, `${significant(loads[index]?.ratio ?? Number.NaN)} ×`]),
)}

The time of one super-step, p50 and p99 in milliseconds:

${markdownTable([...place, ...titles], times)}`;
}

function rows(loads: readonly LoadResult[], cell: (figures: LoadFigures) => string): string[][] {
  return loads.map(({ threads, connections, latencyMs, figures }) => [
    `${threads}`,
    `${connections}`,
    `${latencyMs}`,
    ...IDS.map((id) => cell(figures[id])),
  ]);
}
