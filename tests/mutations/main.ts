/**
 * Puts single mistakes into the sources and runs the tests that should notice them: `npm run test:mutations -- src/retention`. Without a
 * path it does so for every folder of `folders.ts`. A mutation that no test notices survives: it is a hole in the tests, or it changes
 * nothing that anyone can see, which `equivalent.json` then says with its reason.
 *
 * - `--sample 100` tries 100 of the mutations, which `--seed` chooses. Without it every mutation is tried.
 * - `--changed 10` takes one of the files that the last ten commits have changed, which `--seed` chooses.
 * - `--tests 12` runs only the 12 files with tests whose names are nearest to that of the sources. What they don't reach is left out.
 * - `--every-test` goes on after the first test that fails, and lists the tests that no mutation needs.
 *
 * It needs Node.js 22.15 or later.
 */
import process from "node:process";
import setUp from "../../test-support/global-setup.js";
import tearDown from "../../test-support/global-teardown.js";
import { chooseFolders, chooseMutations } from "./choose.js";
import { parseMutationArguments } from "./parse-arguments.js";
import { printNeedless, printResults } from "./print-results.js";
import { type FolderResults, runMutations } from "./run-mutations.js";

const given = parseMutationArguments(process.argv.slice(2));
process.env.TEST_TARGETS ??= "server";
const folders = chooseFolders(given);
const isChosen = await chooseMutations(folders, given);
await setUp();
try {
  const all: FolderResults[] = [];
  for (const folder of folders) all.push(await runMutations(folder, { ...given, isChosen }));
  const isReached = printResults(all);
  if (given.everyTest) printNeedless(all);
  // Some of the tests can't say that no test notices a mutation.
  if (!isReached && given.tests === undefined) process.exitCode = 1;
} finally {
  await tearDown();
}
