import type { Finding, FindingState } from "../../doctor/finding.js";
import { formatTable } from "../output/format-table.js";
import { counted } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";

/** The findings as a table, each with its remedy below it, and what they come to. */
export function formatFindings(findings: readonly Finding[], style: Style, width?: number): string {
  const rows = findings.flatMap(({ check, state, message, remedy }) => [
    [stateOf(state, style), check, printable(message)],
    ...(remedy === undefined ? [] : [["", "", style.dim(`→ ${printable(remedy)}`)]]),
  ]);
  const table = formatTable([["STATE", "CHECK", "WHAT"], ...rows], { text: 2, width });
  return [table, verdict(findings, style), style.dim(ELSEWHERE)].join("\n\n");
}

const ELSEWHERE = "whether every value can be read back: verify; what nothing refers to any more: prune";

function stateOf(state: FindingState, style: Style): string {
  switch (state) {
    case "ok":
      return style.good("ok");
    case "warning":
      return style.warning("warning");
    case "error":
      return style.bad("error");
    case "unknown":
      return style.dim("can't tell");
  }
}

function verdict(findings: readonly Finding[], style: Style): string {
  const count = (wanted: FindingState): number => findings.filter(({ state }) => state === wanted).length;
  const parts = [
    ...(count("error") > 0 ? [style.bad(counted(count("error"), "error"))] : []),
    ...(count("warning") > 0 ? [style.warning(counted(count("warning"), "warning"))] : []),
    ...(count("unknown") > 0 ? [`${count("unknown")} that can't be told`] : []),
  ];
  return parts.length === 0 ? style.good("all is well") : parts.join(", ");
}
