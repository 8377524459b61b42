import { describe, test } from "@jest/globals";
import { describeServer, type Target, type TestDatabase } from "../../test-support/targets.js";
import { pythonEnvironment } from "./python-environment.js";
import { PythonProcess } from "./python-process.js";

/** Runs a suite with a Python process that runs graphs (`python/serve_graphs.py`), or skips it without Python. */
export async function describePythonGraphs(
  name: string,
  body: (target: Target<string>, start: (database: TestDatabase<string>) => PythonProcess) => void,
): Promise<void> {
  const environment = await pythonEnvironment();
  if ("missing" in environment) {
    process.stdout.write(`The tests of ${name} are skipped: ${environment.missing}\n`);
    describe(name, () => {
      test.skip("needs Python", () => undefined);
    });
    return;
  }
  const { python } = environment;
  describeServer(name, (target) => {
    body(target, ({ source }) => new PythonProcess(python, source, undefined, "serve_graphs.py"));
  });
}
