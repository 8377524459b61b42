/**
 * Runs the tests that hunt at random, for much longer than the gate does: `npm run test:long`. A variable that is set already
 * stays: `STORM_ROUNDS=10000 npm run test:long -- tests/retention/deletion-storm`.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";

const RUNS = {
  MODEL_RUNS: "300",
  STORM_ROUNDS: "3000",
  ABORT_RUNS: "60",
  LATE_RUNS: "20",
  SERDE_RUNS: "20000",
  FILTER_RUNS: "500",
  PASSWORD_RUNS: "2000",
};

const HUNTS = [
  "tests/model",
  "tests/passwords",
  "tests/saver/abort-storm",
  "tests/saver/filters",
  "tests/saver/late/late-storm",
  "tests/retention/deletion-storm",
  "src/serde/equal-or-refused",
];

const chosen = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ["--experimental-vm-modules", "node_modules/jest/bin/jest.js", ...(chosen.length === 0 ? HUNTS : chosen)],
  { stdio: "inherit", env: { ...RUNS, ...process.env } },
);
process.exitCode = status ?? 1;
