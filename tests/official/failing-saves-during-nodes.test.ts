import { createRequire } from "node:module";
import { beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { CompiledProgram, type ProgramRun } from "../../test-support/compiled-program.js";
import { describeServer } from "../../test-support/targets.js";
import { type FailingRun, HANDLED_RUNS, UNHANDLED_RUNS } from "./support/failing-runs.js";

const FAILING_RUNS = new URL("support/failing-runs-process.ts", import.meta.url);
const require = createRequire(import.meta.url);

/** Whether the installed LangGraph.js handles the promise of a save at once. It does from 1.5.0 on. */
function handlesSaves(): boolean {
  const { version } = z.object({ version: z.string() }).parse(require("@langchain/langgraph/package.json"));
  return !/^1\.[0-4]\./.test(version);
}

function expected(runs: readonly FailingRun[], isHandled: boolean) {
  return runs.map(({ name, durability, code }) => ({
    name,
    durability,
    failure: code,
    // With `sync` LangGraph waits for the saves of a step before the next step begins.
    nodeBegan: runs === UNHANDLED_RUNS || durability === "exit",
    unhandled: isHandled ? [] : [code],
  }));
}

describeServer("a save that fails while a node is running", (target) => {
  let outcomes: unknown[];
  let run: ProgramRun;

  beforeAll(async () => {
    const database = await target.migratedDatabase();
    await using program = await CompiledProgram.compile(FAILING_RUNS);
    run = await program.run(database.source);
    outcomes = run.output
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  });

  it("fails the run without an unhandled rejection if LangGraph waits for the save", () => {
    expect(outcomes.slice(0, HANDLED_RUNS.length)).toEqual(expected(HANDLED_RUNS, true));
  });

  it("fails the run also if its rejection was unhandled before, as in LangGraph.js before 1.5.0", () => {
    expect(outcomes.slice(HANDLED_RUNS.length)).toEqual(expected(UNHANDLED_RUNS, handlesSaves()));
  });

  it("does not end a process that logs such saves, and any other unhandled rejection ends it", () => {
    expect(run).toMatchObject({
      code: 1,
      errors: expect.stringContaining("RangeError: the application's own"),
    });
  });
});
