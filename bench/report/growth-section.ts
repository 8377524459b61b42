import type { GrowthFigures, GrowthResult } from "../growth/measure-growth.js";
import { STORERS } from "../growth/storers.js";
import { significant } from "./figures.js";
import { markdownTable } from "./markdown-table.js";

const FIGURES: readonly (readonly [name: string, (figures: GrowthFigures) => number | string])[] = [
  ["on disk, MB", ({ diskMB }) => diskMB],
  ["WAL, MB", ({ walMB }) => walMB],
  ["all puts, s", ({ putsS }) => putsS],
  ["last 100 puts, p50, ms", ({ lastPutP50Ms }) => lastPutP50Ms],
  ["last 100 puts, p99, ms", ({ lastPutP99Ms }) => lastPutP99Ms],
  ["getTuple of the newest, ms", ({ getTupleMs }) => getTupleMs],
  ["list, first 1, ms", ({ listFirstMs }) => listFirstMs],
  ["list, first 100, ms", ({ list100Ms }) => list100Ms],
  ["list of all, peak above idle, MB", ({ memoryMB }) => memoryMB],
];

/** Formats what long threads take as a table for each history. */
export function growthSection(results: readonly GrowthResult[]): string {
  const tables = results.map(({ name, figures }) => {
    const rows = FIGURES.map(([figure, of]) => [
      figure,
      ...STORERS.map(({ id }) => {
        const value = of(figures[id]);
        return typeof value === "string" ? value : significant(value);
      }),
    ]);
    return `### ${titleOf(name)}\n\n${markdownTable(["", ...STORERS.map(({ title }) => title)], rows)}`;
  });
  return ["## Growth", ...tables].join("\n\n");
}

/** The name without the prefix by which a run selects all of them. */
export function titleOf(name: string): string {
  return name.replace(/^growth: /, "");
}
