import type { MigrationStatus } from "../../migrations/migration-status.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../format-table.js";
import type { Style } from "../style.js";

/** `migrate status`. */
export const migrateStatus: CommandDefinition = {
  name: "status",
  summary: "list the steps: applied, pending, or unknown to this version",
  examples: ["migrate status", "migrate status --schema agents --json"],
  run: async ({ db, schema, style }) => {
    const { migrationStatus } = await import("../../migrations/migration-status.js");
    const status = await migrationStatus(db, { schema });
    return { exitCode: EXIT_CODE.ok, text: formatStatus(status, style), json: status };
  },
};

function formatStatus({ schema, applied, pending, unknown, officialVersion }: MigrationStatus, style: Style) {
  const known = applied.filter((name) => !unknown.includes(name));
  const rows = [
    ...known.map((name) => [name, style.good("applied")]),
    ...pending.map((name) => [name, style.warning("pending")]),
    ...unknown.map((name) => [name, style.bad("unknown")]),
  ];
  const official = officialVersion === null ? "none on record" : `version ${officialVersion} on record`;
  return [
    `schema "${schema}"`,
    formatTable([["STEP", "STATE"], ...rows.sort(byName)]),
    `migrations of the official savers: ${official}`,
  ].join("\n\n");
}

function byName([a = ""]: readonly string[], [b = ""]: readonly string[]): number {
  return a < b ? -1 : 1;
}
