import { afterAll, describe, test } from "@jest/globals";
import { describeDatabases } from "./databases.js";
import { describeEncryption } from "./encryption.js";
import { pythonEnvironment } from "./python-environment.js";
import { stopUnusedPython } from "./python-process.js";
import { describeQuestions } from "./questions.js";
import { describeTable } from "./table.js";
import { describeThreads } from "./threads.js";
import { describeValues } from "./values.js";

// One file, so that the message about a missing Python is printed once, and the suites use one process.
const environment = await pythonEnvironment();
afterAll(stopUnusedPython);

if ("python" in environment) {
  describeTable(environment.python);
  describeThreads(environment.python);
  describeQuestions(environment.python);
  describeDatabases(environment.python);
  describeEncryption(environment.python);
  describeValues(environment.python);
} else {
  process.stdout.write(`The tests between Python and TypeScript are skipped: ${environment.missing}\n`);
  describe("Python and TypeScript", () => {
    test.skip("share threads", () => undefined);
  });
}
