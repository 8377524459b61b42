import { afterAll, describe, test } from "@jest/globals";
import { onOneServer } from "../../test-support/targets.js";
import { describeDatabases } from "./databases.js";
import { describeEncryption } from "./encryption.js";
import { describeHandOvers } from "./hand-overs.js";
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
  const { python } = environment;
  onOneServer("it refuses the statements of Python's savers", describe)("Python and TypeScript", () => {
    describeTable(python);
    describeThreads(python);
    describeQuestions(python);
    describeDatabases(python);
    describeEncryption(python);
    describeValues(python);
    describeHandOvers(python);
  });
} else {
  process.stdout.write(`The tests between Python and TypeScript are skipped: ${environment.missing}\n`);
  describe("Python and TypeScript", () => {
    test.skip("share threads", () => undefined);
  });
}
