import { flag } from "../options/shared-options.js";
import { answer, NOTHING_ASKED, success } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { TableProgress } from "../../migrations/partitions/conversion-step.js";
import type { PartitionReport } from "../../migrations/partitions/partition-tables.js";
import { parseLayout, type PartitionLayout } from "../../migrations/partitions/partition-layout.js";
import type { PartitionPlan } from "../../migrations/partitions/partition-plan.js";
import type { CommandContext, Report } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { countOf, humanBytes, humanCount } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const partitionFlags = z.object({
  partition: z.string().optional(),
  unpartition: flag,
});

/** The layout that the tables are to have. `undefined`: the one that they have. */
export type WantedLayout = PartitionLayout | undefined;

/** The options of `migrate` about partitions. */
export function partitionOptions(): Option[] {
  return [
    new Option(
      "--partition <layout>",
      "then convert the tables to partitions by thread while services use them: hash:16 makes 16 of each table",
    ).conflicts(["distribute", "undistribute"]),
    new Option(
      "--unpartition",
      "then make each table one table again, or give up a conversion to partitions that has not ended",
    ).conflicts(["partition", "distribute", "undistribute"]),
  ];
}

/** @throws InvalidConfigError for a layout that is none. */
export function parseWantedLayout(given: unknown): WantedLayout {
  const { partition, unpartition } = partitionFlags.parse(given);
  if (unpartition) return "none";
  if (partition === undefined) return undefined;
  const layout = parseLayout(partition);
  if (layout === "none") throw new InvalidConfigError("--partition", "expected hash:<n>; see --unpartition");
  return layout;
}

/** Converts the tables. An interrupt leaves a conversion that the same command continues. */
export async function changePartitions(context: CommandContext, layout: WantedLayout): Promise<Report> {
  if (layout === undefined) return NOTHING_ASKED;
  const { partitionTables } = await import("../../migrations/partitions/partition-tables.js");
  const { db, schema, lockTimeoutMs, style } = context;
  const { bytes, underWay } = await planOf(context, layout);
  const { isConverted, rows } = await runLongWork<TableProgress, PartitionReport>(context, {
    what: `converting (needs ${humanBytes(bytes)} of disk)`,
    show: (state) => [0, describe(state)],
    interrupted: describeInterrupted,
    run: (onProgress) => partitionTables(db, { schema, lockTimeoutMs, layout, onProgress }),
  });
  const isGivenUp = !isConverted && underWay !== undefined;
  const lines = Object.entries(rows).map(
    ([table, count]) => `\n${style.good(nameOf(layout))} ${table} (${countOf(count, "row")})`,
  );
  const text = isGivenUp
    ? `, and its conversion to ${underWay} was given up`
    : `, and its tables were ${nameOf(layout)} already`;
  return success(isConverted ? lines.join("") : text, { partitions: { layout, isConverted, rows } });
}

function describe({ table, phase, rows, estimatedRows }: TableProgress): string {
  const verb = phase === "copy" ? "copied" : "compared";
  const all = Math.max(rows, Math.round(estimatedRows));
  return `${table}: ${verb} ${humanCount(rows)} of about ${humanCount(all)} rows`;
}

function describeInterrupted(last: TableProgress | undefined): string {
  const until = last === undefined ? "" : `${describe(last)}; `;
  return `${until}the tables work as before. The same command continues, and the one back to their layout gives the conversion up`;
}

/** Tells whether the tables have the layout. */
export async function pendingPartitions(context: CommandContext, layout: WantedLayout): Promise<Report> {
  if (layout === undefined) return NOTHING_ASKED;
  const { tables, underWay } = await planOf(context, layout);
  const isDone = tables.length === 0 && underWay === undefined;
  const half = underWay === undefined ? "" : ` (a conversion to ${underWay} has not ended)`;
  const text = isDone ? "" : `\n${context.style.warning("not")} ${nameOf(layout)}${half}`;
  return answer(isDone, text, { partitions: { layout, isConverted: isDone } });
}

/** What the conversion would do. It is no SQL, since it goes on beside writers. */
export async function planOfPartitions(context: CommandContext, layout: WantedLayout): Promise<Report> {
  if (layout === undefined) return NOTHING_ASKED;
  const plan = await planOf(context, layout);
  return success(`\n\n${describePlan(plan)}`, { partitions: plan });
}

async function planOf({ db, schema }: CommandContext, layout: PartitionLayout): Promise<PartitionPlan> {
  const { planPartitions } = await import("../../migrations/partitions/partition-plan.js");
  return planPartitions(db, { schema, layout });
}

function describePlan({ layout, tables, bytes, underWay }: PartitionPlan): string {
  const isOther = underWay !== undefined && (underWay !== layout || tables.length === 0);
  const begun = isOther ? [`-- The conversion to ${underWay} is given up`] : [];
  if (tables.length === 0) return [...begun, `-- The tables are ${nameOf(layout)} already`].join("\n");
  return [
    ...begun,
    `-- Then the command converts these tables to ${nameOf(layout)}. It makes many small transactions beside running services, so`,
    "-- there is no SQL to run by hand:",
    ...tables.map(
      ({ table, from, rows, bytes: size }) =>
        `-- ${table}, ${printable(nameOf(from))}: about ${countOf(Math.round(rows), "row")}, ${humanBytes(size)}`,
    ),
    `-- Until it ends it needs ${humanBytes(bytes)} more disk for the copies, and about as much write-ahead log passes`,
  ].join("\n");
}

function nameOf(layout: string): string {
  return layout === "none" ? "unpartitioned" : layout;
}
