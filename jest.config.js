/** @type {import("jest").Config} */
export default {
  testMatch: [
    "<rootDir>/src/**/*.test.ts",
    "<rootDir>/tests/**/*.test.ts",
    "<rootDir>/test-support/**/*.test.ts",
  ],
  extensionsToTreatAsEsm: [".ts"],
  // The files that a worker runs share what they import: loading it anew for each would take as long as running most of them.
  runtime: "<rootDir>/test-support/shared-modules/runtime.cjs",
  testEnvironment: "<rootDir>/test-support/shared-modules/environment.cjs",
  // For a machine with ten times as many busy processes as cores. A property ends earlier, and says how far it came.
  testTimeout: 180_000,
  // As many as the gate has cores, beside the one for files that wait.
  maxWorkers: 2,
  runner: "<rootDir>/test-support/waiting-in-own-worker.cjs",
  testSequencer: "<rootDir>/test-support/slow-first.cjs",
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
