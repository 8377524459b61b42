import type { CommandDefinition } from "../command-definition.js";
import { reportInterrupt } from "../errors/report-interrupt.js";
import { EXIT_CODE } from "../exit-code.js";

export const migrateDown: CommandDefinition = {
  name: "down",
  summary: "revert the newest step, unless that would lose data",
  examples: ["migrate down", "migrate down --schema agents"],
  run: async ({ db, schema, lockTimeoutMs, style, signal }) => {
    const { migrateDown: revertNewest } = await import("../../migrations/migrate.js");
    const reverted = await reportInterrupt(
      signal,
      () => revertNewest(db, { schema, lockTimeoutMs }),
      () => "nothing was reverted",
    );
    const text =
      reverted === undefined
        ? `schema "${schema}" has no step to revert`
        : `${style.warning("reverted")} ${reverted}`;
    return { exitCode: EXIT_CODE.ok, text, json: { schema, undone: reverted ?? null } };
  },
};
