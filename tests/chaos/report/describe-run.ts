import type { ChaosRun } from "../run/run-chaos.js";
import { failuresOf } from "./failures.js";
import { errorsOf, type Figures, figuresByFault, totalOf } from "./figures.js";
import { markdownTable } from "./table.js";

const SHOWN = 20;

/** The figures of a run as a table, with the total of all faults in its last line. */
export function figuresTable(run: ChaosRun): string {
  const figures = figuresByFault(run);
  return markdownTable(HEAD, [...figures, totalOf(figures)].map(rowOf));
}

/** The counts that must be zero, as a table. */
export function promisesTable(run: ChaosRun): string {
  const found = (kind: string): number => run.findings.filter((finding) => finding.kind === kind).length;
  const noted = (is: (entry: ChaosRun["entries"][number]) => boolean): number =>
    run.entries.filter(is).length;
  return markdownTable(
    ["", "times"],
    [
      ["acknowledged and lost", found("lost")],
      ["half-written, or mixed with another value", found("halfWritten")],
      ["deleted, but came back", found("cameBack")],
      ["stored, but never sent", found("unexplained")],
      [
        "reads that were incomplete, or older than an acknowledged put",
        noted(({ type }) => type === "violation"),
      ],
      [
        "unhandled rejections",
        noted((entry) => entry.type === "process" && entry.event === "unhandledRejection"),
      ],
      ["unexpected exits of the process", run.exits.length],
    ],
  );
}

/** The console output of a run. */
export function describeRun(run: ChaosRun): string {
  const failures = failuresOf(run);
  const errors = errorsOf(run.entries).map(([error, times]) => `  ${times} × ${error}`);
  return [
    figuresTable(run),
    promisesTable(run),
    `${run.checkpoints} checkpoints and ${run.splices} splices at the end`,
    `Calls that failed:\n${firstOf(errors).join("\n")}`,
    failures.length === 0 ? "Every promise was kept" : `BROKEN:\n${firstOf(failures).join("\n")}`,
  ].join("\n\n");
}

const HEAD = [
  "fault",
  "times",
  "calls acknowledged",
  "of these retried",
  "failed",
  "first success (ms)",
  "all threads (ms)",
  "last pending call (ms)",
];

function rowOf(figures: Figures): (string | number)[] {
  const { name, times, acknowledged, retried, failed, firstMs, allMs, pendingMs } = figures;
  return [name, times, acknowledged, retried, failed, ...[firstMs, allMs, pendingMs].map(inMs)];
}

function inMs(time: number): string {
  return Number.isFinite(time) ? String(Math.round(time)) : "never";
}

function firstOf(lines: readonly string[]): string[] {
  const more = lines.length > SHOWN ? [`… and ${lines.length - SHOWN} more`] : [];
  return [...lines.slice(0, SHOWN), ...more];
}
