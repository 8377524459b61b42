/** @type {import("jest").Config} */
export default {
  testMatch: ["<rootDir>/src/**/*.test.ts", "<rootDir>/tests/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  testEnvironment: "node",
  testTimeout: 60_000,
  maxWorkers: 2,
  // Jest keeps what each file has loaded, databases in the process among it: a worker that has grown goes slower and slower.
  workerIdleMemoryLimit: "1GB",
  // One server for the whole run.
  globalSetup: "<rootDir>/tests/support/global-setup.js",
  globalTeardown: "<rootDir>/tests/support/global-teardown.js",
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: {
          target: "es2022",
          parser: { syntax: "typescript" },
          experimental: { keepImportAttributes: true },
        },
        module: { type: "es6" },
      },
    ],
  },
  // Sources import one another by the name that the compiled file will have.
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  testPathIgnorePatterns: ["/node_modules/", "/dist/"],
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
};
