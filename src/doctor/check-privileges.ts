import { RECORD_TABLES, ROW_TABLE_NAMES } from "./catalog.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { groupBy } from "../db/group-by.js";
import { quoted } from "../db/migrate-command.js";
import { type Relation, type Right, RIGHTS, type SchemaState } from "./schema-state.js";

const privileges = findingsOf("privileges");

/** Checks that the role has the privileges that `migrate --print-grants` prints. */
export const checkPrivileges: Check = {
  name: "privileges",
  run: (examination) => Promise.resolve(privilegesOf(examination)),
};

function privilegesOf({ schema }: Examination): Finding[] {
  const rows = present(schema.tables, ROW_TABLE_NAMES);
  if (!schema.usable || rows.length === 0) return [];
  const grant = (right: readonly Right[], tables: readonly Relation[]): string => {
    const names = tables.map(({ name }) => quoted(schema.name, name)).join(", ");
    return `grant ${right.join(", ")} on ${names} to ${quoted(schema.role)}`;
  };
  const records = present(schema.tables, RECORD_TABLES).filter(({ rights }) => !rights.includes("select"));
  const found = records.flatMap((table) =>
    privileges.warning(
      `role "${schema.role}" can't read "${table.name}", which records the applied migrations`,
      grant(["select"], [table]),
    ),
  );
  if (rows.every(({ rights }) => rights.length === 1 && rights[0] === "select")) {
    const writes = RIGHTS.filter((right) => right !== "select");
    return [
      ...found,
      ...privileges.warning(
        `role "${schema.role}" can read threads, but not write them`,
        `to allow writes: ${grant(writes, rows)}`,
      ),
    ];
  }
  for (const table of rows) {
    const lacking = RIGHTS.filter((right) => !table.rights.includes(right));
    if (lacking.length > 0) {
      found.push(
        ...privileges.error(
          `role "${schema.role}" lacks ${lacking.join(", ")} on "${table.name}"`,
          grant(lacking, [table]),
        ),
      );
    }
  }
  return found.length > 0 ? found : privileges.ok(`role "${schema.role}" can read and write all tables`);
}

function present(tables: ReadonlyMap<string, Relation>, names: readonly string[]): Relation[] {
  return names.flatMap((name) => tables.get(name) ?? []);
}

const rowSecurity = findingsOf("row security");
const SET_UP = "set up row-level security on all tables (docs/tenants.md)";

/** Checks whether row-level security hides rows from this role. */
export const checkRowSecurity: Check = {
  name: "row security",
  run: (examination) => Promise.resolve(rowSecurityOf(examination)),
};

function rowSecurityOf({ schema }: Examination): Finding[] {
  const tables = present(schema.tables, ROW_TABLE_NAMES);
  if (tables.length === 0) return [];
  const hidden = withoutPolicy(schema);
  if (hidden.length > 0) return hidden;
  const on = tables.filter(({ hasRowSecurity }) => hasRowSecurity);
  if (on.length === 0) return rowSecurity.ok("off: every role that can read the tables sees all threads");
  if (on.length < tables.length) {
    const open = tables.filter(({ hasRowSecurity }) => !hasRowSecurity);
    return rowSecurity.warning(
      `on for ${namesOf(on)}, but off for ${namesOf(open)}; savers with a tenantId refuse every call`,
      SET_UP,
    );
  }
  const active = tables.filter(({ isRowSecurityActive }) => isRowSecurityActive);
  return active.length === tables.length
    ? rowSecurity.ok(
        "active: this role only sees the rows of one tenant at a time, so savers need a tenantId",
      )
    : rowSecurity.ok(
        `on, but role "${schema.role}" bypasses it (as owner, superuser or by BYPASSRLS), so it can't separate tenants`,
      );
}

/** A role sees no row of such a table, and its writes are refused: the default of providers that turn row-level security on everywhere. */
function withoutPolicy({ tables, role, name }: SchemaState): Finding[] {
  const hidden = present(tables, [...ROW_TABLE_NAMES, ...RECORD_TABLES]).filter(
    (table) => table.withoutPolicy.length > 0,
  );
  const byRights = groupBy(hidden, (table) => table.withoutPolicy.join(", "));
  return [...byRights].flatMap(([rights, group]) => {
    const off = group
      .map((table) => `alter table ${quoted(name, table.name)} disable row level security`)
      .join("; ");
    return rowSecurity.error(
      `on for ${namesOf(group)}, without a policy for role "${role}": privileges for ${rights} have no effect`,
      `as the owner, create policies (docs/tenants.md); or, if this database serves one application: ${off}`,
    );
  });
}

function namesOf(tables: readonly Relation[]): string {
  return tables.map(({ name }) => `"${name}"`).join(", ");
}
