import type { CallCost, CallName, RowPoint } from "../../src/estimate/unit-costs.js";
import { significant } from "../report/figures.js";
import { markdownTable } from "../report/markdown-table.js";
import type { Compared } from "./compare-estimate.js";
import type { UnitResults } from "./measure-units.js";

/** Formats what a run has measured. */
export function unitsToMarkdown(results: UnitResults): string {
  const { costs, comparisons, machine, settings } = results;
  const load = `${significant(machine.load.atStart)} to ${significant(machine.load.atEnd)}`;
  const times = costs.timesAreProvisional
    ? "**The times are provisional**: the machine had other work. Bytes, rows and round trips don't depend on that."
    : "The machine had no other work.";
  return `# Unit costs

What the calls of a saver cost on a server, from which \`estimate\` computes what a fleet needs. [How they are made](../../README.md#unit-costs).

langgraph-checkpoint-kysely ${results.version} · ${machine.server} · Node.js ${machine.node} · ${machine.cpus} × ${machine.cpuModel} · load ${load} · ${results.finishedAt}

Settings of the server: ${Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")}.

${times}

## A row of checkpoints

${pointsTable("channels", costs.headers)}

## A row of checkpoint_blobs

Text:

${pointsTable("bytes of the value", costs.values.text)}

Random bytes:

${pointsTable("bytes of the value", costs.values.random)}

## A row of checkpoint_writes

Text:

${pointsTable("bytes of the value", costs.writes.text)}

Random bytes:

${pointsTable("bytes of the value", costs.writes.random)}

## The rest of the log

- Images of pages of a \`put\` on a thread that nobody has written to since Postgres's last checkpoint: ${costs.pageImages.put} bytes; of its
  \`putWrites\`: ${costs.pageImages.putWrites} bytes.
- Deleting a byte of rows: ${costs.deletion.deleting} bytes, and ${costs.deletion.vacuuming} when the vacuum comes.

## Calls

Milliseconds: a fixed part, one for each row, and one for each 1,000 bytes of values.

${callsTable(results)}

## Estimated and measured

${comparisonsTable(comparisons)}
`;
}

function pointsTable(size: string, points: readonly RowPoint[]): string {
  return markdownTable(
    [size, "table", "TOAST", "primary key", "log"],
    points.map(({ size: of, heap, toast, index, wal }) => [of, heap, toast, index, wal].map(String)),
  );
}

function callsTable({ costs }: UnitResults): string {
  const names: readonly CallName[] = ["put", "putWrites", "getTuple"];
  const cell = ({ fixedMs, rowMs, kilobyteMs }: CallCost) =>
    `${fixedMs.toFixed(3)} + ${rowMs.toFixed(4)} + ${kilobyteMs.toFixed(4)}`;
  return markdownTable(
    ["call", "round trips", "elapsed", "processor time of the server"],
    names.map((name) => {
      const { roundTrips, elapsed, serverCpu } = costs.calls[name];
      return [name, String(roundTrips), cell(elapsed), cell(serverCpu)];
    }),
  );
}

/** Formats the stored fleets beside their estimates. */
export function comparisonsTable(comparisons: UnitResults["comparisons"]): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  return markdownTable(
    ["stored", "rows", "estimated", "MB", "estimated", "bytes off by", "log off by"],
    comparisons.map(({ name, rows, bytes, logBytes }) => [
      name,
      ...[rows.measured, rows.estimated].map((count) => count.toLocaleString("en")),
      ...[bytes.measured, bytes.estimated].map(megabytes),
      ...[difference(bytes), logBytes === undefined ? "–" : difference(logBytes)],
    ]),
  );
}

function difference({ estimated, measured }: Compared): string {
  const percent = (estimated / measured - 1) * 100;
  return `${percent < 0 ? "" : "+"}${percent.toFixed(1)} %`;
}
