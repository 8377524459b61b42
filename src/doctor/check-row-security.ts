import { ROW_TABLES } from "./checked-tables.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import type { Relation } from "./read-relations.js";

const { ok, warning } = findingsOf("row security");
const SET_UP = "set up row-level security on all tables (docs/tenants.md)";

/** Checks whether row-level security hides rows from this role. */
export const checkRowSecurity: Check = {
  name: "row security",
  run: (examination) => Promise.resolve(rowSecurityOf(examination)),
};

function rowSecurityOf({ schema }: Examination): Finding[] {
  const tables = ROW_TABLES.flatMap(({ name }) => schema.tables.get(name) ?? []);
  if (tables.length === 0) return [];
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

function namesOf(tables: readonly Relation[]): string {
  return tables.map(({ name }) => `"${name}"`).join(", ");
}
