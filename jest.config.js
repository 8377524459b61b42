import process from "node:process";

const EVERYWHERE = ["src", "tests", "test-support"];

/** The tests that can use what was built instead of the sources. The command line is built as CommonJS alone. */
const OF_BUILDS = { es: ["tests/saver", "tests/store"], cjs: ["tests/saver", "tests/store", "tests/cli"] };

const { TEST_BUILD } = process.env;
const folders = TEST_BUILD === undefined ? EVERYWHERE : OF_BUILDS[TEST_BUILD];
if (folders === undefined) throw new Error(`TEST_BUILD is ${TEST_BUILD}, and neither es nor cjs`);

/** @type {import("jest").Config} */
export default {
  testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  extensionsToTreatAsEsm: [".ts"],
  // The files that a worker runs share what they import: loading it anew for each would take as long as running most of them.
  runtime: "<rootDir>/test-support/shared-modules/runtime.cjs",
  testEnvironment: "<rootDir>/test-support/shared-modules/environment.cjs",
  // For a machine with ten times as many busy processes as cores. A property ends earlier, and says how far it came.
  testTimeout: 180_000,
  // As many as the gate has cores, beside the one for files that wait.
  maxWorkers: 2,
  runner: "<rootDir>/test-support/waiting-in-own-worker.cjs",
  workerIdleMemoryLimit: "2GB",
  // At its end a process waits for the threads that compile PGlite, on a busy machine longer than the default of half a second.
  workerGracefulExitTimeout: 10_000,
  // One server for the whole run.
  globalSetup: "<rootDir>/test-support/global-setup.js",
  globalTeardown: "<rootDir>/test-support/global-teardown.js",
  transform: {},
  testPathIgnorePatterns: ["/node_modules/", "/dist/"],
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
};
