import { mebibytes } from "../laws/check-soak.js";
import type { SoakRun } from "./run-soak.js";

const MOST_FINDINGS = 50;

/** The report of a run. */
export function describeSoak({ history, faults, findings }: SoakRun): string {
  const { counts, longestMs, threads, memory, failures } = history;
  const heaps = [...memory].map(
    ([process, all]) =>
      `${process}: ${mebibytes(all[0] ?? 0)} to ${mebibytes(all.at(-1) ?? 0)} in ${all.length} looks`,
  );
  return [
    `${counts.turns} turns acknowledged, ${counts.cancelled} cancelled, ${counts.failed} failed, ${counts.moves} threads moved, ${threads.size} threads`,
    `longest wait: ${Math.round(longestMs)} ms`,
    `faults: ${[...faults].map(([name, count]) => `${count} × ${name}`).join(", ")}`,
    `heaps: ${heaps.join("; ")}`,
    ...[...failures].map(([error, count]) => `failed ${count} ×: ${error}`),
    findings.length === 0 ? "nothing is lost, and nobody waits" : `BROKEN: ${findings.length}`,
    ...findings.slice(0, MOST_FINDINGS),
  ].join("\n");
}
