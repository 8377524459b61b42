import { flag } from "../options/shared-options.js";
import { answer, NOTHING_ASKED, sqlSection, success } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { CommandContext, Report } from "../command-definition.js";
import { runInterruptible } from "../run/long-work.js";
import { countOption } from "../options/option-values.js";

const MAX_SHARDS = 64_000;

const distributionFlags = z.object({
  distribute: flag,
  undistribute: flag,
  shards: z.number().optional(),
});

/** Where the tables are to be in a cluster of Citus. */
export interface DistributionFlags {
  /** `undefined`: where they are. */
  readonly wanted: "distributed" | "undistributed" | undefined;
  readonly shards: number | undefined;
}

/** The options of `migrate` about Citus. */
export function distributionOptions(): Option[] {
  return [
    new Option(
      "--distribute",
      "then distribute the tables over the nodes of Citus by thread; services wait while their rows are copied",
    ),
    countOption(
      "--shards <n>",
      "the number of shards of --distribute (default: the setting citus.shard_count)",
      1,
      MAX_SHARDS,
    ),
    new Option(
      "--undistribute",
      "then bring all rows back to the coordinator; services wait while they are copied",
    ).conflicts("distribute"),
  ];
}

/** @throws InvalidConfigError for `--shards` without `--distribute`. */
export function parseDistribution(given: unknown): DistributionFlags {
  const { distribute, undistribute, shards } = distributionFlags.parse(given);
  if (shards !== undefined && !distribute) {
    throw new InvalidConfigError("--shards", "requires --distribute");
  }
  if (distribute) return { wanted: "distributed", shards };
  return { wanted: undistribute ? "undistributed" : undefined, shards };
}

/** Distributes the tables, or brings them back. It is one transaction. */
export async function changeDistribution(
  { db, schema, lockTimeoutMs, signal, style }: CommandContext,
  { wanted, shards }: DistributionFlags,
): Promise<Report> {
  if (wanted === undefined) return NOTHING_ASKED;
  const { distributeTables, undistributeTables } =
    await import("../../migrations/distribution/distribute-tables.js");
  const moved = await runInterruptible(
    signal,
    () => `schema "${schema}" is up to date, and its tables stay where they were`,
    () =>
      wanted === "distributed"
        ? distributeTables(db, { schema, lockTimeoutMs, shards })
        : undistributeTables(db, { schema, lockTimeoutMs }),
  );
  const lines = moved.map((table) => `\n${style.good(wanted)} ${table}`).join("");
  const text = moved.length === 0 ? `, and its tables were ${wanted} already` : lines;
  return success(text, { [wanted]: moved });
}

/** Tells whether the tables are where they are to be. */
export async function pendingDistribution(
  context: CommandContext,
  flags: DistributionFlags,
): Promise<Report> {
  if (flags.wanted === undefined) return NOTHING_ASKED;
  const isDone = (await statementsOf(context, flags)).length === 0;
  const text = isDone ? "" : `\n${context.style.warning("not")} ${flags.wanted}`;
  return answer(isDone, text, { [flags.wanted]: isDone });
}

/** The SQL of the change. It follows the plan of the steps, in a transaction of its own. */
export async function planOfDistribution(context: CommandContext, flags: DistributionFlags): Promise<Report> {
  if (flags.wanted === undefined) return NOTHING_ASKED;
  const statements = await statementsOf(context, flags);
  const text =
    statements.length === 0
      ? `-- The tables are ${flags.wanted} already`
      : sqlSection(`The tables become ${flags.wanted}`, ["begin", ...statements, "commit"]);
  return success(`\n\n${text}`, { [flags.wanted]: statements });
}

async function statementsOf(
  { db, schema }: CommandContext,
  { wanted, shards }: DistributionFlags,
): Promise<string[]> {
  const { planDistribution, planUndistribution } =
    await import("../../migrations/distribution/distribute-tables.js");
  return wanted === "distributed"
    ? planDistribution(db, { schema, shards })
    : planUndistribution(db, { schema });
}
