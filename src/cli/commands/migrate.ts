import { Option } from "commander";
import { z } from "zod";
import type { ShallowConversion } from "../../migrations/convert-shallow-tables.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatPlan } from "../format-plan.js";
import { counted } from "../output/format-numbers.js";
import { tellingWhatWasDone } from "../errors/report-interrupt.js";
import { migrateDown } from "./migrate-down.js";
import { changeIndexes, checkIndexes, indexFlags, indexOptions, planIndexes } from "./migrate-indexes.js";
import { grantOptions, reportGrants } from "./migrate-grants.js";
import { migrateStatus } from "./migrate-status.js";

const flagsOfMigrate = z.object({
  plan: z.boolean().default(false),
  check: z.boolean().default(false),
  convertShallow: z.boolean().default(false),
  ...indexFlags,
});
type Flags = z.output<typeof flagsOfMigrate>;

/** `migrate`, `migrate --plan`, `migrate --check`, `migrate --with`, `migrate --without`, `migrate --print-grants`. */
export const migrate: CommandDefinition = {
  name: "migrate",
  summary: "bring the tables to the newest version",
  takesLocks: true,
  makesDatabase: true,
  options: () => [
    new Option("--plan", "print the SQL that would run, complete enough to apply it by hand; run nothing"),
    new Option("--check", "run nothing; exit with 1 when steps are pending").conflicts("plan"),
    new Option(
      "--convert-shallow",
      "convert the tables of Python's ShallowPostgresSaver first; stop the services that use them",
    ).conflicts(["plan", "check"]),
    ...indexOptions(),
    ...grantOptions(),
  ],
  examples: [
    "migrate --url postgres://localhost/agents",
    "migrate --schema agents --lock-timeout 5000",
    "migrate --plan > migration.sql",
    "migrate --check",
    "migrate --with metadata-index --with run-index",
    "migrate --print-grants --schema agents --read-write agent_service --read-only support > grants.sql",
    "migrate status --json",
    "migrate down",
  ],
  subcommands: [migrateStatus, migrateDown],
  runOffline: reportGrants,
  run: async (context, flags) => {
    const parsed = flagsOfMigrate.parse(flags);
    if (parsed.plan) return printPlan(context, parsed);
    return parsed.check ? checkPending(context, parsed) : bringToLatest(context, parsed);
  },
};

async function bringToLatest(context: CommandContext, flags: Flags): Promise<Report> {
  const { db, schema, lockTimeoutMs, style, signal } = context;
  const options = { schema, lockTimeoutMs };
  const { convertShallowTables } = await import("../../migrations/convert-shallow-tables.js");
  const { migrateToLatest } = await import("../../migrations/migrate.js");
  const { converted, applied } = await tellingWhatWasDone(
    signal,
    async () => {
      if (!flags.convertShallow) return { converted: undefined, applied: await migrateToLatest(db, options) };
      const conversion = await convertShallowTables(db, options);
      return { converted: conversion, applied: conversion.applied };
    },
    () => "nothing was changed",
  );
  const steps = applied.map((name) => `${style.good("applied")} ${name}\n`).join("");
  const end = applied.length === 0 ? ", nothing to do" : "";
  const { text, json, exitCode } = await changeIndexes(context, flags);
  return {
    exitCode,
    text: `${converted ? describeConversion(converted) : ""}${steps}schema "${schema}" is up to date${end}${text}`,
    json: { schema, applied, ...(converted && { converted: countsOf(converted) }), ...json },
  };
}

function countsOf({ checkpoints, blobs, writes, unreferencedBlobs }: ShallowConversion) {
  return { checkpoints, blobs, writes, unreferencedBlobs };
}

function describeConversion({ checkpoints, blobs, writes, unreferencedBlobs }: ShallowConversion): string {
  const rows = `${counted(checkpoints, "checkpoint")}, ${counted(blobs, "value")} and ${counted(writes, "write")}`;
  const gone =
    unreferencedBlobs === 0
      ? ""
      : `; ${counted(unreferencedBlobs, "value that no checkpoint refers to is", "values that no checkpoint refers to are")} gone`;
  return `converted ${rows} of Python's ShallowPostgresSaver${gone}\n`;
}

async function printPlan({ db, schema, lockTimeoutMs }: CommandContext, flags: Flags): Promise<Report> {
  const { planMigrations } = await import("../../migrations/plan-migrations.js");
  const plan = await planMigrations(db, { schema, lockTimeoutMs });
  const { text, json } = await planIndexes(schema, flags);
  return { exitCode: EXIT_CODE.ok, text: `${formatPlan(plan)}${text}`, json: { ...plan, ...json } };
}

async function checkPending(context: CommandContext, flags: Flags): Promise<Report> {
  const { db, schema, style } = context;
  const { migrationStatus } = await import("../../migrations/migration-status.js");
  const { pending } = await migrationStatus(db, { schema });
  const indexes = await checkIndexes(context, flags);
  const upToDate = pending.length === 0 && indexes.exitCode === EXIT_CODE.ok;
  const json = { schema, upToDate, pending, ...indexes.json };
  if (upToDate) return { exitCode: EXIT_CODE.ok, text: `schema "${schema}" is up to date`, json };
  const steps = pending.map((name) => `\n${style.warning("pending")} ${name}`).join("");
  return { exitCode: EXIT_CODE.no, text: `schema "${schema}" is behind${steps}${indexes.text}`, json };
}
