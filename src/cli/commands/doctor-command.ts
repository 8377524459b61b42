import { answer } from "./reports.js";
import type { Finding, FindingState } from "../../doctor/finding.js";
import type { CommandDefinition } from "../command-definition.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";
import { countOf } from "../output/format-numbers.js";
import { formatTable } from "../output/format-table.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";

export const doctorCommand: CommandDefinition = {
  name: "doctor",
  group: "Check and back up",
  summary: "check connection, tables, privileges, pooler, clocks, indexes and bloat, and print remedies",
  examples: ["doctor", "doctor --schema agents", "doctor --json"],
  connectsItself: true,
  run: async ({ db, schema, style, signal, onConnected, terminal }) => {
    const { diagnose } = await import("../../doctor/diagnose.js");
    const findings = await diagnose(db, { schema, signal, onReached: onConnected }).catch(
      (error: unknown) => {
        throw explainConnectionError(error);
      },
    );
    const ok = findings.every(({ state }) => state !== "error");
    return answer(ok, formatFindings(findings, style, terminal.columns), { ok, schema, findings });
  },
};

const OTHER_COMMANDS =
  "`verify` checks that every value can be read; `prune` deletes old checkpoints and rows that nothing references";

/** Formats the findings as a table, each remedy below its finding, and a summary. */
function formatFindings(findings: readonly Finding[], style: Style, width?: number): string {
  const rows = findings.flatMap(({ check, state, message, remedy }) => [
    [formatState(state, style), check, printable(message)],
    ...(remedy === undefined ? [] : [["", "", style.dim(`→ ${printable(remedy)}`)]]),
  ]);
  const table = formatTable([["STATE", "CHECK", "FINDING"], ...rows], { text: 2, width });
  return [table, summarize(findings, style), style.dim(OTHER_COMMANDS)].join("\n\n");
}

function formatState(state: FindingState, style: Style): string {
  switch (state) {
    case "ok":
      return style.good(state);
    case "warning":
      return style.warning(state);
    case "error":
      return style.bad(state);
    case "unknown":
      return style.dim(state);
  }
}

function summarize(findings: readonly Finding[], style: Style): string {
  const count = (wanted: FindingState): number => findings.filter(({ state }) => state === wanted).length;
  const parts = [
    ...(count("error") > 0 ? [style.bad(countOf(count("error"), "error"))] : []),
    ...(count("warning") > 0 ? [style.warning(countOf(count("warning"), "warning"))] : []),
    ...(count("unknown") > 0 ? [`${count("unknown")} unknown`] : []),
  ];
  return parts.length === 0 ? style.good("no problems found") : parts.join(", ");
}
