import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { MutantResult } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { isEquivalent } from "./equivalent.js";
import { type Folder, sourcesOf, testsOf } from "./folders.js";
import { type Mutation, useMutators } from "./mutators.js";
import { refusedByCompiler } from "./refused-by-compiler.js";

export type Outcome = "killed" | "refused by the compiler" | "equivalent" | "survived";

/** A mutation and what became of it. */
export interface MutationResult extends Mutation {
  readonly line: number;
  readonly outcome: Outcome;
  /** The tests that failed. */
  readonly killedBy: readonly string[];
}

export interface MutationsOptions {
  /** Whether a mutation is tried. */
  readonly isChosen: (mutation: Mutation) => boolean;
  /** How many files with tests run. Default: all of the folder. */
  readonly tests: number | undefined;
  /** Whether the run of a mutation goes on after the first test that fails. */
  readonly everyTest: boolean;
}

/** What became of the mutations of a folder. */
export interface FolderResults {
  readonly folder: Folder;
  readonly results: readonly MutationResult[];
  /** The files with tests that ran. */
  readonly tests: readonly string[];
}

/** A mutation whose tests take this many times as long as without it has made one of them wait forever. */
const TIMEOUT_FACTOR = 3;
const TIMEOUT_MS = 30_000;

/** A process ends after this many mutations, since Node.js keeps each copy of the sources. */
const MUTATIONS_PER_PROCESS = 50;

const TESTS_AT_ONCE = 2;

/** Runs the mutations of a folder. */
export async function runMutations(
  folder: Folder,
  { isChosen, tests: most, everyTest }: MutationsOptions,
): Promise<FolderResults> {
  const tried: Mutation[] = [];
  const equivalent: Mutation[] = [];
  await useMutators((mutation) => {
    if (!isChosen(mutation)) return false;
    (isEquivalent(mutation) ? equivalent : tried).push(mutation);
    return !isEquivalent(mutation);
  });
  const tests = testsOf(folder).slice(0, most);
  process.env.MUTATION_TESTS = JSON.stringify(tests);
  const made = await new Stryker({
    configFile: "tests/mutations/stryker.json",
    mutate: sourcesOf(folder),
    disableBail: everyTest,
    concurrency: TESTS_AT_ONCE,
    maxTestRunnerReuse: MUTATIONS_PER_PROCESS,
    timeoutFactor: TIMEOUT_FACTOR,
    timeoutMS: TIMEOUT_MS,
    tempDirName: join(tmpdir(), "mutations"),
  }).runMutationTest();
  // A sample of the tests can't tell what all of them don't reach.
  const known = most === undefined ? made : made.filter(({ status }) => status !== "NoCoverage");
  // It takes longer than a few tests, whose survivors nobody judges.
  const refused = most === undefined ? refusedByCompiler(known.filter(isSurvivor)) : new Set<MutantResult>();
  const results = known.map((result) => ({
    ...mutationOf(tried, result),
    line: result.location.start.line,
    outcome: outcomeOf(result, refused),
    killedBy: result.killedBy ?? [],
  }));
  const untried = equivalent.map((mutation) => ({
    ...mutation,
    ...{ line: 0, outcome: "equivalent" as const, killedBy: [] },
  }));
  return { folder, results: [...results, ...untried], tests };
}

function mutationOf(tried: readonly Mutation[], { id }: MutantResult): Mutation {
  const mutation = tried[Number(id)];
  if (mutation === undefined) throw new Error(`Stryker made another mutation ${id} than was chosen`);
  return mutation;
}

function outcomeOf(result: MutantResult, refused: ReadonlySet<MutantResult>): Outcome {
  if (!isSurvivor(result)) return "killed";
  return refused.has(result) ? "refused by the compiler" : "survived";
}

/** Whether no test noticed it, or none reached it. */
function isSurvivor({ status }: MutantResult): boolean {
  return status === "Survived" || status === "NoCoverage";
}
