import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Adds up the reports that Jest left in a folder; fails where a test failed or none ran.
const folder = process.argv[2] ?? ".";
const sum = { passed: 0, failed: 0, skipped: 0 };
for (const file of readdirSync(folder)) {
  const report = JSON.parse(readFileSync(join(folder, file), "utf8"));
  sum.passed += report.numPassedTests;
  // A file that can't be loaded has no tests that could fail.
  sum.failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  sum.skipped += report.numPendingTests + report.numTodoTests;
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
