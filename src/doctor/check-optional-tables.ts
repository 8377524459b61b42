import { migrateCommand } from "../db/migrate-command.js";
import { IncompatibleTablesError, InvalidConfigError } from "../errors/index.js";
import type { MigrationSet } from "../migrations/migration-set.js";
import { setStatus } from "../migrations/migration-status.js";
import { describeMissing } from "../migrations/describe-missing.js";
import { presentSets } from "../migrations/present-sets.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, error } = findingsOf("optional tables");

/** Checks which optional tables exist, and that they are up to date. */
export const checkOptionalTables: Check = {
  name: "optional tables",
  run: async (examination) => {
    const { db, schema } = examination;
    if (!schema.usable) return [];
    const sets = await presentSets(db, schema.name, {});
    const findings: Finding[] = [];
    for (const set of sets) {
      if (set.optional !== undefined) findings.push(...(await stateOf(examination, set)));
    }
    return findings.length > 0 ? findings : [ok(`schema "${schema.name}" has none`)];
  },
};

async function stateOf({ db, schema }: Examination, set: MigrationSet): Promise<Finding[]> {
  const { optional = "", checkpointTable } = set;
  const name = checkpointTable === undefined ? optional : `${optional} "${checkpointTable}"`;
  try {
    const { pending, unknown, missing } = await setStatus(db, schema.name, set);
    if (missing.length > 0) {
      const remedy = `restore it from a backup; or create an empty one: ${migrateCommand(schema.name)}`;
      return missing.map((table) => error(`${name}: ${describeMissing(table)}`, remedy));
    }
    if (pending.length > 0) {
      return [error(`${name}: ${pending.join(", ")} pending`, migrateCommand(schema.name))];
    }
    if (unknown.length === 0) return [ok(`${name} is up to date`)];
    const steps = unknown.join(", ");
    return [
      warning(
        `${name} is newer than this library, which does not know ${steps}`,
        "upgrade langgraph-checkpoint-kysely",
      ),
    ];
  } catch (reason) {
    const isRefused = reason instanceof IncompatibleTablesError || reason instanceof InvalidConfigError;
    if (!isRefused) throw reason;
    return [error(`${name}: ${reason.message}`, "use another schema")];
  }
}
