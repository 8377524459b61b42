import { afterAll, beforeAll } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import type { StartPython } from "./python-graphs.js";
import type { PythonProcess } from "./python-process.js";

/** A database that both languages work on while a suite runs. */
export interface BesidePython {
  readonly database: TestDatabase<string>;
  readonly python: PythonProcess;
  readonly saver: PostgresSaver;
}

/** Starts Python and a saver on one database before the tests of a suite, and ends both after them. What it returns is for hooks and tests. */
export function besidePython(target: Target<string>, start: StartPython): BesidePython {
  let started: BesidePython | undefined;
  beforeAll(async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    const saver = new PostgresSaver(database.source);
    started = { database, python, saver };
    await saver.setup();
  });
  afterAll(async () => {
    await started?.python.end();
    await started?.saver.end();
  });
  const used = (): BesidePython => {
    if (started === undefined) throw new Error("used outside of hooks and tests");
    return started;
  };
  return {
    get database() {
      return used().database;
    },
    get python() {
      return used().python;
    },
    get saver() {
      return used().saver;
    },
  };
}
