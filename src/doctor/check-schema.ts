import { migrateCommand, quoted } from "../db/migrate-command.js";
import { IncompatibleTablesError, InvalidConfigError } from "../errors/index.js";
import { readOfficialVersion, type SetStatus, setStatus } from "../migrations/migration-status.js";
import { describeMissingTable, remedyOfMissing } from "../migrations/missing-tables.js";
import { CHECKPOINT_SET, presentSets } from "../migrations/sets.js";
import { type DoctoredDatabase, ROW_TABLES } from "./catalog.js";
import { convertCommand } from "../migrations/conversion.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, type Findings, findingsOf } from "./finding.js";
import type { MigrationSet } from "../migrations/migration-set.js";

const saverTables = findingsOf("schema");

/** The first migration version of the official savers whose tables have every column that this library writes. */
const COMPLETE_VERSION = 9;
const RECORD = "checkpoint_kysely_migration";

/** Checks that the tables of savers exist, and that they are up to date. */
export const checkSchema: Check = {
  name: "schema",
  run: async (examination) => {
    const { db, schema } = examination;
    if (!schema.exists) {
      return saverTables.error(`schema "${schema.name}" does not exist`, await elsewhere(db, schema.name));
    }
    if (!schema.usable) {
      return saverTables.error(
        `role "${schema.role}" has no usage privilege on schema "${schema.name}"`,
        `grant usage on schema ${quoted(schema.name)} to ${quoted(schema.role)}`,
      );
    }
    if (ROW_TABLES.every(({ name }) => !schema.tables.has(name))) {
      return saverTables.error(
        `schema "${schema.name}" has no checkpoint tables`,
        await elsewhere(db, schema.name),
      );
    }
    return saverStateOf(examination);
  },
};

/** Suggests other schemas with checkpoint tables: a wrong schema name is more likely than a missing migration. */
async function elsewhere(db: DoctoredDatabase, schema: string): Promise<string> {
  const found = await db
    .selectFrom("pg_catalog.pg_class as relation")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "relation.relnamespace")
    // Programs of langgraphgo have a table of this name too.
    .innerJoin("pg_catalog.pg_attribute as column", "column.attrelid", "relation.oid")
    .select("namespace.nspname as schema")
    .where("relation.relname", "=", "checkpoints")
    .where("column.attname", "=", "checkpoint_ns")
    .where("relation.relkind", "in", ["r", "p"])
    .where("namespace.nspname", "<>", schema)
    .orderBy("namespace.nspname")
    .execute();
  const others = found.map((row) => `"${row.schema}"`).join(", ");
  const create = `create the tables: ${migrateCommand(schema)}`;
  return others === ""
    ? create
    : `pass the schema with the tables as --schema (${others} has some), or ${create}`;
}

async function saverStateOf(examination: Examination): Promise<Finding[]> {
  try {
    return await migrationsOf(examination);
  } catch (reason) {
    if (!(reason instanceof IncompatibleTablesError)) throw reason;
    return saverTables.error(
      reason.message,
      convertCommand(reason.schema, reason.layout) ?? otherwise(reason),
    );
  }
}

function otherwise({ layout }: IncompatibleTablesError): string {
  return layout === "partitions"
    ? "create the tables with partitions by thread_id, copy the rows, and exchange the names"
    : "alter the tables as said, or use another schema";
}

async function migrationsOf(examination: Examination): Promise<Finding[]> {
  const { db, schema } = examination;
  const status = await setStatus(db, schema.name, CHECKPOINT_SET);
  if (status.missing.length > 0) {
    const remedy = remedyOfMissing(schema.name, RECORD);
    return status.missing.flatMap((table) => saverTables.error(describeMissingTable(table), remedy));
  }
  return stepsOf(examination, status);
}

async function stepsOf(
  { db, schema }: Examination,
  { applied, pending, unknown }: SetStatus,
): Promise<Finding[]> {
  const officialVersion = await readOfficialVersion(db, schema.name);
  const official =
    officialVersion === null ? "" : `, version ${officialVersion} of the official savers is recorded`;
  const migrate = migrateCommand(schema.name);
  if (applied.length === 0 && !schema.tables.has(RECORD)) {
    const message = `tables of an official saver, not adopted yet${official}`;
    const isComplete = (officialVersion ?? 0) >= COMPLETE_VERSION;
    return isComplete
      ? saverTables.warning(message, migrate)
      : saverTables.error(`${message}; columns are missing`, migrate);
  }
  if (pending.length > 0) return saverTables.error(`${pending.join(", ")} pending${official}`, migrate);
  if (unknown.length > 0) return newer(saverTables, "the schema", unknown);
  return saverTables.ok(`schema "${schema.name}" is up to date${official}`);
}

const optionalTables = findingsOf("optional tables");

/** Checks which optional tables exist, and that they are up to date. */
export const checkOptionalTables: Check = {
  name: "optional tables",
  run: async (examination) => {
    const { db, schema } = examination;
    if (!schema.usable) return [];
    const sets = await presentSets(db, schema.name, {});
    const findings: Finding[] = [];
    for (const set of sets) {
      if (set.optional !== undefined) findings.push(...(await optionalStateOf(examination, set)));
    }
    return findings.length > 0 ? findings : optionalTables.ok(`schema "${schema.name}" has none`);
  },
};

async function optionalStateOf({ db, schema }: Examination, set: MigrationSet): Promise<Finding[]> {
  const { optional = "", checkpointTable } = set;
  const name = checkpointTable === undefined ? optional : `${optional} "${checkpointTable}"`;
  try {
    const { pending, unknown, missing } = await setStatus(db, schema.name, set);
    if (missing.length > 0) {
      const remedy = remedyOfMissing(schema.name);
      return missing.flatMap((table) =>
        optionalTables.error(`${name}: ${describeMissingTable(table)}`, remedy),
      );
    }
    if (pending.length > 0) {
      return optionalTables.error(`${name}: ${pending.join(", ")} pending`, migrateCommand(schema.name));
    }
    if (unknown.length === 0) return optionalTables.ok(`${name} is up to date`);
    return newer(optionalTables, name, unknown);
  } catch (reason) {
    const isRefused = reason instanceof IncompatibleTablesError || reason instanceof InvalidConfigError;
    if (!isRefused) throw reason;
    return optionalTables.error(`${name}: ${reason.message}`, "use another schema");
  }
}

function newer({ warning }: Findings, name: string, steps: readonly string[]): Finding[] {
  return warning(
    `${name} is newer than this library, which does not know ${steps.join(", ")}`,
    "upgrade langgraph-checkpoint-kysely",
  );
}
