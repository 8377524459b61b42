/**
 * Runs test files against one mutation at a time, in a process that Stryker starts. Each run loads the sources anew, since they keep
 * compiled statements and other values that they work out once. What they import from packages stays loaded.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import { DryRunStatus, MutantRunStatus, TestStatus } from "@stryker-mutator/api/test-runner";
import { readConfig } from "jest-config";

const require = createRequire(import.meta.url);
const { default: JestRunner } = require("jest-runner");

/** How a mutated file asks whether a mutation is active. */
const MUTATION = /stryMutAct_9fa48\("(\d+)"\)/g;

const NEVER_INTERRUPTED = { isInterrupted: () => false };

/** Separates the file from the name of a test. */
const OF = " > ";

class TestFilesRunner {
  #globalConfig;
  #config;
  #runs = 0;
  /** How long each file took, in milliseconds. */
  #durations = new Map();
  /** By mutated file, how often each test file has failed. */
  #failures = new Map();

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const { globalConfig, projectConfig } = await readConfig({ _: [], $0: "" }, process.cwd());
    this.#globalConfig = globalConfig;
    // The one beside the mutated sources. This file is loaded from the project.
    const runtime = join(process.cwd(), "tests/mutations/fresh-runtime.cjs");
    this.#config = { ...projectConfig, runtime };
  }

  /** Runs the test files once without a mutation, and notes which mutations each of them reaches. */
  async dryRun({ files }) {
    const tests = [];
    const reached = new Map();
    const loaded = new Map();
    for (const file of JSON.parse(process.env.MUTATION_TESTS)) {
      const coverage = { static: {}, perTest: {} };
      globalThis.__stryker__ = { mutantCoverage: coverage };
      const results = await this.#run(file, () => (globalThis.__stryker__.currentTestId = file));
      tests.push(...results);
      reached.set(file, coverage.perTest[file] ?? {});
      loaded.set(file, coverage.static);
    }
    addLoaded(reached, loaded, mutationsOf(files));
    const perTest = Object.fromEntries(tests.map(({ id }) => [id, reached.get(fileOf(id))]));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: { static: {}, perTest } };
  }

  /** Runs test files until one fails. Those that have failed most often come first, and then the quickest. */
  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
    const { fileName, id } = activeMutant;
    const failures = this.#failures.get(fileName) ?? new Map();
    this.#failures.set(fileName, failures);
    const weight = (file) => (this.#durations.get(file) ?? 0) - 1e6 * (failures.get(file) ?? 0);
    const files = [...new Set(testFilter.map(fileOf))].sort((a, b) => weight(a) - weight(b));
    // Programs that a test starts find it in their environment.
    process.env.__STRYKER_ACTIVE_MUTANT__ = id;
    globalThis.__stryker__ = { activeMutant: id, hitCount: 0, hitLimit };
    const failed = [];
    let nrOfTests = 0;
    for (const file of files) {
      const results = await this.#run(file);
      nrOfTests += results.length;
      const failedHere = results.filter(({ status }) => status === TestStatus.Failed);
      if (failedHere.length === 0) continue;
      failures.set(file, (failures.get(file) ?? 0) + 1);
      failed.push(...failedHere);
      if (!disableBail) break;
    }
    if (failed.length === 0) return { status: MutantRunStatus.Survived, nrOfTests };
    const killedBy = failed.map((test) => test.id);
    const { failureMessage } = failed[0];
    return { status: MutantRunStatus.Killed, killedBy, failureMessage, nrOfTests };
  }

  async #run(file, onLoaded = () => {}) {
    const runner = new JestRunner(this.#globalConfig, {});
    let results = [];
    runner.on("test-file-failure", ([, { message }]) => {
      results = [failedTest(`${file}${OF}`, message)];
    });
    runner.on("test-file-success", ([, { testResults, testExecError }]) => {
      results = testResults.map((result) => testOf(file, result));
      if (testExecError) results.push(failedTest(`${file}${OF}`, testExecError.message));
    });
    const start = performance.now();
    globalThis.mutationRun = { run: ++this.#runs, onLoaded };
    const tests = [{ path: join(process.cwd(), file), context: { config: this.#config } }];
    await runner.runTests(tests, NEVER_INTERRUPTED, { serial: true });
    const durationMs = performance.now() - start;
    this.#durations.set(file, durationMs);
    // Stryker works out the time limit of a mutation from these. Loading and hooks take time too.
    return results.map((result) => ({ ...result, timeSpentMs: durationMs / results.length }));
  }
}

function testOf(file, { fullName, status, failureMessages }) {
  const id = `${file}${OF}${fullName}`;
  if (status === "failed") return failedTest(id, failureMessages.join("\n"));
  return { id, name: id, status: status === "passed" ? TestStatus.Success : TestStatus.Skipped };
}

function failedTest(id, failureMessage) {
  return { id, name: id, status: TestStatus.Failed, failureMessage };
}

function fileOf(id) {
  return id.slice(0, id.indexOf(OF));
}

function mutationsOf(files) {
  return files.map((file) => [...readFileSync(file, "utf8").matchAll(MUTATION)].map(([, id]) => id));
}

/**
 * Adds the mutations of what runs while a file is loaded. Every test loads nearly every file, so only tests that reach another mutation of
 * the file get them, if there are any.
 */
function addLoaded(reached, loaded, mutations) {
  for (const ids of mutations) {
    const users = [...reached].filter(([, hits]) => ids.some((id) => id in hits)).map(([file]) => file);
    for (const [file, hits] of loaded)
      if (users.length === 0 || users.includes(file))
        for (const id of ids) if (id in hits) reached.get(file)[id] ??= hits[id];
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "test-files", TestFilesRunner)];
