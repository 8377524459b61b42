import { flag } from "../options/shared-options.js";
import { answer, joined, sqlSection, success } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import type { ShallowConversion } from "../../migrations/convert-shallow-tables.js";
import type { StoreConversion } from "../../migrations/convert-store-tables.js";
import type { MigrationPlan } from "../../migrations/plan-migrations.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { runInterruptible } from "../run/long-work.js";
import { EXIT_CODE } from "../command-io.js";
import { countOf } from "../output/format-numbers.js";
import { migrateDownCommand, migrateStatusCommand } from "./migrate-subcommands.js";
import {
  changeDistribution,
  pendingDistribution,
  distributionOptions,
  type DistributionFlags,
  parseDistribution,
  planOfDistribution,
} from "./migrate-distribution.js";
import { grantOptions, reportGrants } from "./migrate-grants.js";
import { changeIndexes, pendingIndexes, planIndexes } from "./migrate-indexes.js";
import { type OptionalParts, optionalOptions, parseOptional, requireLayout } from "./migrate-optional.js";
import {
  changePartitions,
  pendingPartitions,
  parseWantedLayout,
  partitionOptions,
  planOfPartitions,
  type WantedLayout,
} from "./migrate-partitions.js";

const migrateFlags = z.object({
  plan: flag,
  check: flag,
  convertShallow: flag,
  convertStore: flag,
});
type Flags = z.output<typeof migrateFlags> &
  OptionalParts & { readonly distribution: DistributionFlags; readonly layout: WantedLayout };

export const migrateTablesCommand: CommandDefinition = {
  name: "migrate",
  summary: "create the tables, or migrate them to the newest version",
  takesLocks: true,
  createsDatabase: true,
  options: () => [
    new Option("--plan", "print the SQL of the pending steps, complete enough to run by hand; run nothing"),
    new Option("--check", "run nothing; exit with 1 if steps are pending").conflicts("plan"),
    new Option(
      "--convert-shallow",
      "first convert the tables of Python's ShallowPostgresSaver; stop the services that use them before",
    ).conflicts(["plan", "check"]),
    new Option(
      "--convert-store",
      "first convert the tables of the official JavaScript PostgresStore; stop the services that use them before",
    ).conflicts(["plan", "check", "convertShallow"]),
    ...optionalOptions(),
    ...partitionOptions(),
    ...distributionOptions(),
    ...grantOptions(),
  ],
  examples: [
    "migrate --url postgres://localhost/agents",
    "migrate --schema agents --lock-timeout 5000",
    "migrate --plan > migration.sql",
    "migrate --check",
    "migrate --with metadata-index --with run-index",
    "migrate --with store --with cache",
    "migrate --with checkpoint-store --checkpoint-table go_runs --schema go",
    "migrate --with store --print-grants > store-grants.sql",
    "migrate --partition hash:16 --plan",
    "migrate --partition hash:16",
    "migrate --unpartition",
    "migrate --distribute --shards 64",
    "migrate --distribute --plan",
    "migrate --print-grants --schema agents --read-write agent_service --read-only support > grants.sql",
    "migrate status --json",
    "migrate down",
  ],
  subcommands: [migrateStatusCommand, migrateDownCommand],
  runOffline: async (context, flags) => {
    const grants = await reportGrants(context, flags);
    const optional = parseOptional(flags);
    parseDistribution(flags);
    parseWantedLayout(flags);
    if (grants === undefined && !migrateFlags.parse(flags).check) requireLayout(optional);
    return grants;
  },
  run: async (context, flags) => {
    const parsed = {
      ...migrateFlags.parse(flags),
      ...parseOptional(flags),
      distribution: parseDistribution(flags),
      layout: parseWantedLayout(flags),
    };
    if (parsed.check) return checkPending(context, parsed);
    return parsed.plan ? printPlan(context, parsed) : runMigrations(context, parsed);
  },
};

async function runMigrations(context: CommandContext, flags: Flags): Promise<Report> {
  const { db, schema, lockTimeoutMs, style, signal } = context;
  const options = { schema, lockTimeoutMs, ...flags.tables };
  const { convertShallowTables } = await import("../../migrations/convert-shallow-tables.js");
  const { convertStoreTables } = await import("../../migrations/convert-store-tables.js");
  const { migrateToLatest } = await import("../../migrations/migrate.js");
  const {
    applied,
    text: conversion,
    json: converted,
  } = await runInterruptible(
    signal,
    () => "nothing was changed",
    async (): Promise<Migrated> => {
      if (flags.convertShallow) return describeShallow(await convertShallowTables(db, options));
      if (flags.convertStore) return describeStore(await convertStoreTables(db, options));
      return { applied: await migrateToLatest(db, options), text: "", json: {} };
    },
  );
  const steps = applied.map((name) => `${style.good("applied")} ${name}\n`).join("");
  const end = applied.length === 0 ? ", nothing to do" : "";
  const { text, json, exitCode } = joined([
    await changeIndexes(context, flags.indexes),
    await changePartitions(context, flags.layout),
    await changeDistribution(context, flags.distribution),
  ]);
  return {
    exitCode,
    text: `${conversion}${steps}schema "${schema}" is up to date${end}${text}`,
    json: { schema, applied, ...converted, ...json },
  };
}

/** The steps that ran, and what was converted before. */
interface Migrated {
  readonly applied: readonly string[];
  readonly text: string;
  readonly json: { readonly converted?: object };
}

function describeShallow({ applied, ...converted }: ShallowConversion): Migrated {
  const { checkpoints, blobs, writes, unreferencedBlobs } = converted;
  const rows = `${countOf(checkpoints, "checkpoint")}, ${countOf(blobs, "value")} and ${countOf(writes, "write")}`;
  const deleted =
    unreferencedBlobs === 0
      ? ""
      : `; deleted ${countOf(unreferencedBlobs, "value that no checkpoint references", "values that no checkpoint references")}`;
  const text = `converted ${rows} of Python's ShallowPostgresSaver${deleted}\n`;
  return { applied, text, json: { converted } };
}

function describeStore({ applied, ...converted }: StoreConversion): Migrated {
  const rows = `${countOf(converted.items, "item")} and ${countOf(converted.embeddings, "embedding")}`;
  const text = `converted ${rows} of the official JavaScript PostgresStore\n`;
  return { applied, text, json: { converted } };
}

async function printPlan(context: CommandContext, flags: Flags): Promise<Report> {
  const { db, schema, lockTimeoutMs } = context;
  const { planMigrations } = await import("../../migrations/plan-migrations.js");
  const plan = await planMigrations(db, { schema, lockTimeoutMs, ...flags.tables });
  return joined([
    success(formatPlan(plan), plan),
    await planIndexes(context, flags.indexes),
    await planOfPartitions(context, flags.layout),
    await planOfDistribution(context, flags.distribution),
  ]);
}

/**
 * Formats a plan as SQL that `psql` or any other client can run: one transaction, which fails as a whole if another migration
 * ran first.
 */
function formatPlan({ schema, preparation, steps }: MigrationPlan): string {
  // Quoted as JSON, so that a line break in the name does not end the comment.
  const place = `schema ${JSON.stringify(schema)}`;
  if (steps.length === 0) return `-- ${place} is up to date, nothing to do`;
  return [
    `-- Migrates ${place} to the newest version.\nbegin;`,
    sqlSection("Lock out other migrations, and create the tables that record steps", preparation),
    ...steps.map(({ name, statements }) => sqlSection(name, statements)),
    "commit;",
  ].join("\n\n");
}

async function checkPending(context: CommandContext, flags: Flags): Promise<Report> {
  const { db, schema, style } = context;
  const { migrationStatus } = await import("../../migrations/migration-status.js");
  const { with: tables, checkpointTable } = flags.tables;
  const { pending } = await migrationStatus(db, { schema, with: tables, checkpointTable });
  const others = joined([
    await pendingIndexes(context, flags.indexes),
    await pendingPartitions(context, flags.layout),
    await pendingDistribution(context, flags.distribution),
  ]);
  const upToDate = pending.length === 0 && others.exitCode === EXIT_CODE.ok;
  const steps = pending.map((name) => `\n${style.warning("pending")} ${name}`).join("");
  const state = upToDate ? "is up to date" : `is behind${steps}${others.text}`;
  return answer(upToDate, `schema "${schema}" ${state}`, { schema, upToDate, pending, ...others.json });
}
