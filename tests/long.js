/**
 * Runs the tests that draw at random for much longer than `npm test` does, and from a random seed: `npm run test:long`, or
 * `npm run test:long -- tests/model` for some of them. They are the files that import `test-support/runs.ts`. Without an argument the
 * soak follows (tests/soak), which takes an hour, the example service under load (tests/service), which takes half of one, a sample
 * of the mutations (tests/mutations), the calls on a large database (bench/size), and every test with the oldest versions, of which a
 * gate runs a half (.ci/run).
 *
 * `TEST_FACTOR=100 npm run test:long` makes 100 times as many runs as `npm test`. A failure is printed with the command that repeats it.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";

/** A test has no timeout but that of its property, which grows with the number of runs. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** How many mutations are tried for each run of a test. */
const MUTATIONS = 10;

/** How long each of these takes for each run of a test, in minutes. */
const MINUTES = { "test:soak": 3, "test:service": 1.5 };

const { TEST_SEED = String(randomInt(2 ** 31)), TEST_FACTOR = "20" } = process.env;
const variables = `TEST_SEED=${TEST_SEED} TEST_FACTOR=${TEST_FACTOR}`;
console.log(variables);

const folder = mkdtempSync(join(tmpdir(), "test-long-"));
try {
  const chosen = process.argv.slice(2);
  process.exitCode = run(chosen);
  if (chosen.length === 0) {
    const sample = ["--sample", String(MUTATIONS * Number(TEST_FACTOR)), "--seed", TEST_SEED];
    const failures = [
      ...Object.entries(MINUTES).map(runForMinutes),
      runScript("test:mutations", sample),
      runScript("bench:size", []),
      testOnOldestVersions(),
    ];
    if (failures.includes(true)) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

function run(chosen) {
  const report = join(folder, "report.json");
  const { status } = spawnSync(
    process.execPath,
    [
      ...["node_modules/jest/bin/jest.js", `--testTimeout=${NO_TIMEOUT_MS}`],
      ...["--json", `--outputFile=${report}`],
      ...(chosen.length === 0 ? ["--runTestsByPath", ...randomTests()] : chosen),
    ],
    { stdio: "inherit", env: { TEST_TARGETS: "every", ...process.env, TEST_SEED, TEST_FACTOR } },
  );
  if (status !== 0 && existsSync(report))
    for (const command of commandsToRepeat(report)) console.log(command);
  return status ?? 1;
}

/** Returns whether it failed. */
function runForMinutes([script, minutes]) {
  const given = ["--minutes", String(minutes * Number(TEST_FACTOR)), "--seed", TEST_SEED];
  return runScript(script, given);
}

/** Returns whether it failed. */
function runScript(script, given) {
  return spawnSync("npm", ["run", script, "--", ...given], { stdio: "inherit" }).status !== 0;
}

/** Runs them once, as the gate does, which runs a half of them. Returns whether it failed. */
function testOnOldestVersions() {
  return spawnSync("bash", [".ci/run", "oldest"], { stdio: "inherit" }).status !== 0;
}

function randomTests() {
  return ["src", "tests"]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter(
      (file) => file.endsWith(".test.ts") && readFileSync(file, "utf8").includes("/test-support/runs.js"),
    );
}

function commandsToRepeat(report) {
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults
    .filter(({ status }) => status !== "passed")
    .map(({ name }) => `To repeat it: ${variables} npm run test:long -- ${relative(process.cwd(), name)}`);
}
