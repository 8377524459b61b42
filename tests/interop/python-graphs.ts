import { afterAll, describe, test } from "@jest/globals";
import { describeServer, onOneServer, type Target, type TestDatabase } from "../../test-support/targets.js";
import { pythonEnvironment } from "./python-environment.js";
import { PythonProcess, stopUnusedPython } from "./python-process.js";

/** Starts a Python process on a database. */
export type StartPython = (database: TestDatabase<string>) => Promise<PythonProcess>;

/** The tests of a suite. */
type PythonSuite = (target: Target<string>, start: StartPython) => void;

const describeSaver = onOneServer("it refuses the statements of Python's savers", describeServer);

/** Runs a suite with a Python process that runs graphs (`python/serve_graphs.py`), or skips it without Python. */
export function describePythonGraphs(name: string, body: PythonSuite): Promise<void> {
  return describePython(name, "serve_graphs.py", body, describeSaver);
}

/** Runs a suite with a Python process that runs agents of LangChain (`python/serve_agents.py`), or skips it without Python. */
export function describePythonAgents(name: string, body: PythonSuite): Promise<void> {
  return describePython(name, "serve_agents.py", body, describeSaver);
}

/** Runs a suite with a Python process that works on a store (`python/serve_store.py`), or skips it without Python. */
export function describePythonStore(name: string, body: PythonSuite): Promise<void> {
  return describePython(name, "serve_store.py", body, describeServer);
}

async function describePython(
  name: string,
  program: string,
  body: PythonSuite,
  describeSuite: typeof describeServer,
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
  describeSuite(name, (target) => {
    body(target, ({ source }) => PythonProcess.start(python, source, undefined, program));
    afterAll(stopUnusedPython);
  });
}
