import Table from "cli-table3";
import type { FolderResults, MutationResult, Outcome } from "./run-mutations.js";

/** Prints the results and every mutation that survived. Returns whether each folder reaches its score. */
export function printResults(all: readonly FolderResults[]): boolean {
  const table = new Table({
    head: [
      "sources",
      "killed",
      "refused by the compiler",
      "equivalent",
      "survived",
      "score",
      "at least",
      "test files",
    ],
    style: { head: [], border: [] },
  });
  for (const { folder, results, tests } of all)
    table.push([
      folder.sources,
      countOf(results, "killed"),
      countOf(results, "refused by the compiler"),
      countOf(results, "equivalent"),
      countOf(results, "survived"),
      percent(scoreOf(results)),
      percent(folder.least),
      tests.length,
    ]);
  console.log(table.toString());
  for (const { file, line, change } of all.flatMap(({ results }) => results.filter(isSurvivor)))
    console.log(`survived: ${file}:${line} in ${change}`);
  return all.every(({ folder, results }) => scoreOf(results) >= folder.least);
}

/** Prints the tests that fail with no mutation, or only with mutations that other tests fail with too. */
export function printNeedless(all: readonly FolderResults[]): void {
  const killers = all.flatMap(({ results }) => results.map(({ killedBy }) => killedBy));
  const alone = new Set(killers.filter(({ length }) => length === 1).flat());
  for (const test of new Set(killers.flat()))
    if (!alone.has(test)) console.log(`kills nothing alone: ${test}`);
}

function scoreOf(results: readonly MutationResult[]): number {
  const survived = countOf(results, "survived");
  const killed = countOf(results, "killed");
  return killed + survived === 0 ? 1 : killed / (killed + survived);
}

function countOf(results: readonly MutationResult[], outcome: Outcome): number {
  return results.filter((result) => result.outcome === outcome).length;
}

function isSurvivor({ outcome }: MutationResult): boolean {
  return outcome === "survived";
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
