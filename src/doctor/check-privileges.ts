import { RECORD_TABLES, ROW_TABLES } from "./checked-tables.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { quoted } from "../db/migrate-command.js";
import { type Relation, type Right, RIGHTS } from "./read-relations.js";

const { ok, warning, error } = findingsOf("privileges");

/** Checks that the role has the privileges that `migrate --print-grants` prints. */
export const checkPrivileges: Check = {
  name: "privileges",
  run: (examination) => Promise.resolve(privilegesOf(examination)),
};

function privilegesOf({ schema }: Examination): Finding[] {
  const rows = present(
    schema.tables,
    ROW_TABLES.map(({ name }) => name),
  );
  if (!schema.usable || rows.length === 0) return [];
  const grant = (right: readonly Right[], tables: readonly Relation[]): string => {
    const names = tables.map(({ name }) => quoted(schema.name, name)).join(", ");
    return `grant ${right.join(", ")} on ${names} to ${quoted(schema.role)}`;
  };
  const records = present(schema.tables, RECORD_TABLES).filter(({ rights }) => !rights.includes("select"));
  const found = records.map((table) =>
    warning(
      `role "${schema.role}" can't read "${table.name}", which records the applied migrations`,
      grant(["select"], [table]),
    ),
  );
  if (rows.every(({ rights }) => rights.length === 1 && rights[0] === "select")) {
    const writes = RIGHTS.filter((right) => right !== "select");
    return [
      ...found,
      warning(
        `role "${schema.role}" can read threads, but not write them`,
        `to allow writes: ${grant(writes, rows)}`,
      ),
    ];
  }
  for (const table of rows) {
    const lacking = RIGHTS.filter((right) => !table.rights.includes(right));
    if (lacking.length > 0) {
      found.push(
        error(
          `role "${schema.role}" lacks ${lacking.join(", ")} on "${table.name}"`,
          grant(lacking, [table]),
        ),
      );
    }
  }
  return found.length > 0 ? found : [ok(`role "${schema.role}" can read and write all tables`)];
}

function present(tables: ReadonlyMap<string, Relation>, names: readonly string[]): Relation[] {
  return names.flatMap((name) => tables.get(name) ?? []);
}
