import { migrateCommand } from "../db/migrate-command.js";
import { IncompatibleTablesError } from "../errors/index.js";
import { migrationStatus } from "../migrations/migration-status.js";
import { convertCommand } from "../migrations/incompatible-tables.js";
import type { DoctoredDatabase } from "./catalog.js";
import { ROW_TABLES } from "./checked-tables.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { quoted } from "./quoted.js";

const { ok, warning, error } = findingsOf("schema");

/** The migration of the official savers from which on the tables have every column that is written here. */
const COMPLETE_VERSION = 9;
const RECORD = "checkpoint_kysely_migration";

/** Whether the tables are there, and as new as this library. */
export const checkSchema: Check = {
  name: "schema",
  run: async (examination) => {
    const { db, schema } = examination;
    if (!schema.exists) {
      return [error(`there is no schema "${schema.name}"`, await elsewhere(db, schema.name))];
    }
    if (!schema.usable) {
      return [
        error(
          `role "${schema.role}" may not look into schema "${schema.name}"`,
          `grant usage on schema ${quoted(schema.name)} to ${quoted(schema.role)}`,
        ),
      ];
    }
    if (ROW_TABLES.every(({ name }) => !schema.tables.has(name))) {
      return [error(`schema "${schema.name}" has no checkpoint tables`, await elsewhere(db, schema.name))];
    }
    return [...missingTables(examination), await stateOf(examination)];
  },
};

/** A newcomer has more often named the wrong schema than forgotten to migrate. */
async function elsewhere(db: DoctoredDatabase, schema: string): Promise<string> {
  const found = await db
    .selectFrom("pg_catalog.pg_class as relation")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "relation.relnamespace")
    .select("namespace.nspname as schema")
    .where("relation.relname", "=", "checkpoints")
    .where("relation.relkind", "in", ["r", "p"])
    .where("namespace.nspname", "<>", schema)
    .orderBy("namespace.nspname")
    .execute();
  const others = found.map((row) => `"${row.schema}"`).join(", ");
  const make = `make them: ${migrateCommand(schema)}`;
  return others === ""
    ? make
    : `name the schema that has them by --schema (there are some in ${others}), or ${make}`;
}

/** A table without which the record says nothing: somebody has dropped it. */
function missingTables({ schema }: Examination): Finding[] {
  if (!schema.tables.has(RECORD)) return [];
  return ROW_TABLES.filter(({ name }) => name !== "checkpoint_tombstones" && !schema.tables.has(name)).map(
    ({ name }) =>
      error(
        `table "${name}" is gone, though its migration is on record`,
        `restore it from a backup; or have it made anew, empty: delete from ${quoted(schema.name, RECORD)}, then ${migrateCommand(schema.name)}`,
      ),
  );
}

async function stateOf(examination: Examination): Promise<Finding> {
  try {
    return await migrationsOf(examination);
  } catch (reason) {
    if (!(reason instanceof IncompatibleTablesError)) throw reason;
    const isShallow = reason.layout === "python-shallow";
    return error(reason.message, isShallow ? convertCommand(reason.schema) : "use another schema");
  }
}

async function migrationsOf({ db, schema }: Examination): Promise<Finding> {
  const status = await migrationStatus(db, { schema: schema.name });
  const { applied, pending, unknown, officialVersion } = status;
  const official =
    officialVersion === null ? "" : `, version ${officialVersion} of the official savers on record`;
  const adopt = migrateCommand(schema.name);
  if (applied.length === 0 && !schema.tables.has(RECORD)) {
    const message = `made by an official saver and not adopted yet${official}`;
    const isComplete = (officialVersion ?? 0) >= COMPLETE_VERSION;
    return isComplete ? warning(message, adopt) : error(`${message}: columns are missing`, adopt);
  }
  if (pending.length > 0) return error(`behind: ${pending.join(", ")} pending${official}`, adopt);
  if (unknown.length > 0) {
    return warning(`newer than this library: it does not know ${unknown.join(", ")}`, "upgrade the library");
  }
  return ok(`"${schema.name}" is up to date${official}`);
}
