import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { tellingWhatWasDone } from "../errors/report-interrupt.js";

/** `migrate down`. */
export const migrateDown: CommandDefinition = {
  name: "down",
  summary: "undo the newest step, where that loses no data",
  examples: ["migrate down", "migrate down --schema agents"],
  run: async ({ db, schema, lockTimeoutMs, style, signal }) => {
    const { migrateDown: undoNewest } = await import("../../migrations/migrate.js");
    const undone = await tellingWhatWasDone(
      signal,
      () => undoNewest(db, { schema, lockTimeoutMs }),
      () => "nothing was undone",
    );
    const text =
      undone === undefined
        ? `schema "${schema}" has no step left to undo`
        : `${style.warning("undone")} ${undone}`;
    return { exitCode: EXIT_CODE.ok, text, json: { schema, undone: undone ?? null } };
  },
};
