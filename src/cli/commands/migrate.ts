import { Option } from "commander";
import { z } from "zod";
import { migrateToLatest } from "../../migrations/migrate.js";
import { migrationStatus } from "../../migrations/migration-status.js";
import { planMigrations } from "../../migrations/plan-migrations.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatPlan } from "../format-plan.js";
import { migrateDown } from "./migrate-down.js";
import { grantOptions, reportGrants } from "./migrate-grants.js";
import { migrateStatus } from "./migrate-status.js";

const flagsOfMigrate = z.object({ plan: z.boolean().default(false), check: z.boolean().default(false) });

/** `migrate`, `migrate --plan`, `migrate --check`, `migrate --print-grants`. */
export const migrate: CommandDefinition = {
  name: "migrate",
  summary: "bring the tables to the newest version",
  options: () => [
    new Option("--plan", "print the SQL that would run, complete enough to apply it by hand; run nothing"),
    new Option("--check", "run nothing; exit with 1 when steps are pending").conflicts("plan"),
    ...grantOptions(),
  ],
  examples: [
    "migrate --url postgres://localhost/agents",
    "migrate --schema agents --lock-timeout 5000",
    "migrate --plan > migration.sql",
    "migrate --check",
    "migrate --print-grants --schema agents --read-write agent_service --read-only support > grants.sql",
    "migrate status --json",
    "migrate down",
  ],
  subcommands: [migrateStatus, migrateDown],
  runOffline: reportGrants,
  run: async (context, flags) => {
    const { plan, check } = flagsOfMigrate.parse(flags);
    if (plan) return printPlan(context);
    return check ? checkPending(context) : bringToLatest(context);
  },
};

async function bringToLatest({ db, schema, lockTimeoutMs, style }: CommandContext): Promise<Report> {
  const applied = await migrateToLatest(db, { schema, lockTimeoutMs });
  const steps = applied.map((name) => `${style.good("applied")} ${name}\n`).join("");
  const end = applied.length === 0 ? ", nothing to do" : "";
  return {
    exitCode: EXIT_CODE.ok,
    text: `${steps}schema "${schema}" is up to date${end}`,
    json: { schema, applied },
  };
}

async function printPlan({ db, schema, lockTimeoutMs }: CommandContext): Promise<Report> {
  const plan = await planMigrations(db, { schema, lockTimeoutMs });
  return { exitCode: EXIT_CODE.ok, text: formatPlan(plan), json: plan };
}

async function checkPending({ db, schema, style }: CommandContext): Promise<Report> {
  const { pending } = await migrationStatus(db, { schema });
  const json = { schema, upToDate: pending.length === 0, pending };
  if (json.upToDate) return { exitCode: EXIT_CODE.ok, text: `schema "${schema}" is up to date`, json };
  const steps = pending.map((name) => `\n${style.warning("pending")} ${name}`).join("");
  return { exitCode: EXIT_CODE.no, text: `schema "${schema}" is behind${steps}`, json };
}
