import { significant, spread } from "../report/figures.js";
import { markdownTable } from "../report/markdown-table.js";
import type { PartitionResults } from "./measure-partitions.js";

const MB = 1_000_000;

/** Formats what a run has measured. */
export function partitionsToMarkdown(results: PartitionResults): string {
  const { machine, settings, amount, layouts, calls, tables, conversion } = results;
  const load = `${significant(machine.load.atStart)} to ${significant(machine.load.atEnd)}`;
  const named = layouts.map((layout) => (layout === "none" ? "one table" : layout));
  return `# Partitions

${(amount.threads * amount.steps).toLocaleString("en")} checkpoints, ${amount.steps} of each thread, with one table for each kind of rows, and with hash partitions by \`thread_id\`.
[How they are made](../../README.md#partitions).

langgraph-checkpoint-kysely ${results.version} · ${machine.server} · Node.js ${machine.node} · ${machine.cpus} × ${machine.cpuModel} · load ${load} · ${results.finishedAt}

Settings of the server: ${Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}.

## Calls

Milliseconds: the median, and in brackets the 5th and the 95th percentile. _CPU_ is the processor time of the backend.

${markdownTable(
  ["call", ...named, ...named.map((name) => `${name}, CPU`)],
  calls.map(({ call, times, serverCpu }) => [
    call,
    ...[...times, ...serverCpu].map(({ medianMs, p5Ms, p95Ms }) => spread(medianMs, p5Ms, p95Ms)),
  ]),
)}

## Tables

MB, and seconds of a vacuum after a tenth of the rows was deleted. _Largest_ is the largest partition, or the table.

${markdownTable(
  ["table", "layout", "rows, MB", "index, MB", "largest index, MB", "vacuum, s", "largest, s"],
  tables.map((row) => [
    row.table,
    row.layout === "none" ? "one table" : row.layout,
    ...[row.rowBytes, row.indexBytes, row.largestIndexBytes].map((bytes) => significant(bytes / MB)),
    ...[row.vacuumMs, row.longestVacuumMs].map((ms) => significant(ms / 1_000)),
  ]),
)}

## Conversion

\`migrate --partition ${conversion.layout}\` of ${conversion.rows.toLocaleString("en")} rows in ${significant(conversion.bytes / MB)} MB, after the deletions above: ${significant(conversion.ms / 1_000)} s.
`;
}
