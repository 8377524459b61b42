import { RECORD_TABLES, ROW_TABLES } from "./checked-tables.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { quoted } from "../db/migrate-command.js";
import type { Relation, SchemaState } from "./read-relations.js";

const { ok, warning, error } = findingsOf("row security");
const SET_UP = "set up row-level security on all tables (docs/tenants.md)";

/** Checks whether row-level security hides rows from this role. */
export const checkRowSecurity: Check = {
  name: "row security",
  run: (examination) => Promise.resolve(rowSecurityOf(examination)),
};

function rowSecurityOf({ schema }: Examination): Finding[] {
  const tables = ROW_TABLES.flatMap(({ name }) => schema.tables.get(name) ?? []);
  if (tables.length === 0) return [];
  const hidden = withoutPolicy(schema);
  if (hidden.length > 0) return hidden;
  const on = tables.filter(({ hasRowSecurity }) => hasRowSecurity);
  if (on.length === 0) return [ok("off: every role that can read the tables sees all threads")];
  if (on.length < tables.length) {
    const open = tables.filter(({ hasRowSecurity }) => !hasRowSecurity);
    return [
      warning(
        `on for ${namesOf(on)}, but off for ${namesOf(open)}; savers with a tenantId refuse every call`,
        SET_UP,
      ),
    ];
  }
  const active = tables.filter(({ isRowSecurityActive }) => isRowSecurityActive);
  return active.length === tables.length
    ? [ok("active: this role only sees the rows of one tenant at a time, so savers need a tenantId")]
    : [
        ok(
          `on, but role "${schema.role}" bypasses it (as owner, superuser or by BYPASSRLS), so it can't separate tenants`,
        ),
      ];
}

/** A role sees no row of such a table, and its writes are refused: the default of providers that turn row-level security on everywhere. */
function withoutPolicy({ tables, role, name }: SchemaState): Finding[] {
  const names: readonly string[] = [...ROW_TABLES.map((table) => table.name), ...RECORD_TABLES];
  const hidden = names
    .flatMap((table) => tables.get(table) ?? [])
    .filter((table) => table.withoutPolicy.length > 0);
  const byRights = new Map<string, Relation[]>();
  for (const table of hidden) {
    const rights = table.withoutPolicy.join(", ");
    byRights.set(rights, [...(byRights.get(rights) ?? []), table]);
  }
  return [...byRights].map(([rights, group]) => {
    const off = group
      .map((table) => `alter table ${quoted(name, table.name)} disable row level security`)
      .join("; ");
    return error(
      `on for ${namesOf(group)}, without a policy for role "${role}": privileges for ${rights} have no effect`,
      `as the owner, create policies (docs/tenants.md); or, if this database serves one application: ${off}`,
    );
  });
}

function namesOf(tables: readonly Relation[]): string {
  return tables.map(({ name }) => `"${name}"`).join(", ");
}
