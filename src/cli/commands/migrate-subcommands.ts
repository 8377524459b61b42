import { success } from "./reports.js";
import type { DistributionStatus } from "../../migrations/distribution/distribution-state.js";
import type { IndexState } from "../../migrations/indexes/optional-index.js";
import type { MigrationStatus } from "../../migrations/migration-status.js";
import { describeMissingTable } from "../../migrations/missing-tables.js";
import type { CommandDefinition } from "../command-definition.js";
import { formatTable } from "../output/format-table.js";
import type { Style } from "../output/style.js";
import { runInterruptible } from "../run/long-work.js";

export const migrateStatusCommand: CommandDefinition = {
  name: "status",
  summary:
    "list the migration steps (applied, pending, unknown to this version), the optional indexes, and on Citus where the tables are",
  examples: ["migrate status", "migrate status --schema agents --json"],
  run: async ({ db, schema, style }) => {
    const { migrationStatus } = await import("../../migrations/migration-status.js");
    const { optionalIndexStatus } = await import("../../migrations/indexes/optional-index.js");
    const { distributionStatus } = await import("../../migrations/distribution/distribution-state.js");
    const { citus, isCoordinator, tables } = await distributionStatus(db, { schema });
    const status: Status = {
      ...(await migrationStatus(db, { schema })),
      indexes: await optionalIndexStatus(db, { schema }),
      ...(citus !== null && { distribution: { citus, isCoordinator, tables } }),
    };
    return success(formatStatus(status, style), status);
  },
};

interface Status extends MigrationStatus {
  /** The state of each optional index, by its name. */
  readonly indexes: Readonly<Record<string, IndexState>>;
  /** Where the tables are, in a database with Citus. */
  readonly distribution?: Pick<DistributionStatus, "isCoordinator" | "tables"> & { readonly citus: string };
}

function formatStatus(status: Status, style: Style): string {
  const { schema, applied, pending, unknown, missing, officialVersion, indexes, distribution } = status;
  const known = applied.filter((name) => !unknown.includes(name));
  const rows = [
    ...known.map((name) => [name, style.good("applied")]),
    ...pending.map((name) => [name, style.warning("pending")]),
    ...unknown.map((name) => [name, style.bad("unknown")]),
  ];
  const official = officialVersion === null ? "none recorded" : `version ${officialVersion} recorded`;
  return [
    `schema "${schema}"`,
    formatTable([["STEP", "STATE"], ...rows.sort(byName)]),
    ...missing.map((table) => style.bad(describeMissingTable(table))),
    formatTable([
      ["OPTIONAL INDEX", "STATE"],
      ...Object.entries(indexes).map(([name, state]) => [name, coloured(state, style)]),
    ]),
    ...(distribution === undefined ? [] : [formatDistribution(distribution)]),
    `migrations of the official savers: ${official}`,
  ].join("\n\n");
}

function formatDistribution({ citus, tables }: Required<Status>["distribution"]): string {
  const rows = tables.map(({ table, placement, shards, colocation }) => [
    table,
    placement,
    String(shards),
    colocation === null ? "" : String(colocation),
  ]);
  return `${formatTable([["TABLE", "PLACEMENT", "SHARDS", "COLOCATION"], ...rows])}\nCitus ${citus}`;
}

function coloured(state: IndexState, style: Style): string {
  switch (state) {
    case "ready":
      return style.good(state);
    case "building":
      return style.warning(state);
    case "broken":
      return style.bad(state);
    // Not coloured: an optional index may be missing.
    case "missing":
      return state;
  }
}

function byName([a = ""]: readonly string[], [b = ""]: readonly string[]): number {
  return a < b ? -1 : 1;
}

export const migrateDownCommand: CommandDefinition = {
  name: "down",
  summary: "revert the newest step, unless that would lose data",
  examples: ["migrate down", "migrate down --schema agents"],
  run: async ({ db, schema, lockTimeoutMs, style, signal }) => {
    const { migrateDown: revertNewest } = await import("../../migrations/migrate.js");
    const reverted = await runInterruptible(
      signal,
      () => "nothing was reverted",
      () => revertNewest(db, { schema, lockTimeoutMs }),
    );
    const text =
      reverted === undefined
        ? `schema "${schema}" has no step to revert`
        : `${style.warning("reverted")} ${reverted}`;
    return success(text, { schema, undone: reverted ?? null });
  },
};
