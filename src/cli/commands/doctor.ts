import type { CommandDefinition } from "../command-definition.js";
import { explainNoConnection } from "../errors/explain-connection-error.js";
import { formatFindings } from "../doctor/format-findings.js";
import { EXIT_CODE } from "../exit-code.js";

/** `doctor`. */
export const doctor: CommandDefinition = {
  name: "doctor",
  group: "Check and back up",
  summary: "look at connection, tables, rights, pooler, clocks, indexes and bloat; say what to do about each",
  examples: ["doctor", "doctor --schema agents", "doctor --json"],
  connectsItself: true,
  run: async ({ db, schema, style, signal, answered, terminal }) => {
    const { diagnose } = await import("../../doctor/diagnose.js");
    const findings = await diagnose(db, { schema, signal, onReached: answered }).catch((error: unknown) => {
      throw explainNoConnection(error);
    });
    const ok = findings.every(({ state }) => state !== "error");
    return {
      exitCode: ok ? EXIT_CODE.ok : EXIT_CODE.no,
      text: formatFindings(findings, style, terminal.columns),
      json: { ok, schema, findings },
    };
  },
};
