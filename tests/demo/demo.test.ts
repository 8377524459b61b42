import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { parseDemoOptions } from "../../examples/demo/options.js";
import { describeServer } from "../../test-support/targets.js";
import { CompiledDemo, type DemoRun } from "./run-demo.js";

const RUN_MS = 180_000;

const TREE = `
   ●  step -1  input
   ●  step 0   loop   __start__
   ●  step 1   loop   agent
   │   process N died in the step after this one
   ●  step 2   loop   tools(reserve_train), tools(reserve_room)
   ●  step 3   loop   agent
   │   asked “Pay 269 €?”, answered “yes”
   ├─╮
   │ ◆  step 4   fork   a copy of the checkpoint above
   │ │   asked “Pay 269 €?”, answered “no”
   │ ●  step 5   loop   tools(pay)
   │ ◉  step 6   loop   agent   ← head
   │
   ●  step 4   loop   tools(pay)
   ◉  step 5   loop   agent   ← head
`;

function expectCompleteOutput({ code, output, errors }: DemoRun): void {
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output.replaceAll(/process \d+/g, "process N")).toContain(TREE);
  expect(output.match(/✓/g)).toHaveLength(5);
  expect(output).not.toContain("✗");
  expect(output).not.toContain("\u001b");
}

let demo: CompiledDemo;
beforeAll(async () => {
  demo = await CompiledDemo.compile();
});
afterAll(() => demo.remove());

// The gate also runs `npm run demo`, which is the demo on PGlite in a folder.
describe("the demo", () => {
  it.each([
    ["--url=mysql://localhost/app", "--url: expected postgres://… or file://…"],
    ["--url=memory://", "--url: expected postgres://… or file://…"],
    ["--colour", "Unknown option '--colour'"],
  ])("refuses %s", (argument, reason) => {
    expect(() => parseDemoOptions([argument])).toThrow(reason);
  });

  it("prints why it can't run with an argument that it refuses", async () => {
    const { code, output, errors } = await demo.run("--colour");
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toContain("The demo failed. Unknown option '--colour'");
  });
});

describeServer("the demo on a server", (server) => {
  it(
    "shows a kill, a resume, an interrupt and a fork, can run repeatedly, and keeps threads with --keep",
    async () => {
      const database = await server.createDatabase();
      const kept = await demo.run("--url", database.source, "--schema", "a demo", "--keep");
      expectCompleteOutput(kept);
      expect(kept.left).toEqual([]);
      const threads = 'select distinct thread_id from "a demo".checkpoints';
      const before = await database.query(threads);
      expectCompleteOutput(await demo.run("--url", database.source, "--schema", "a demo"));
      expect(before).toHaveLength(1);
      expect(await database.query(threads)).toEqual(before);
    },
    2 * RUN_MS,
  );

  it(
    "prints why it failed",
    async () => {
      const database = await server.createDatabase();
      await database.exec("create schema strange; create table strange.checkpoints (thread_id int)");
      const { code, errors, left } = await demo.run("--url", database.source, "--schema", "strange");
      expect(code).toBe(1);
      expect(errors).toContain(
        'The demo failed. Act "begin" should have been killed, but ended with exit code 1',
      );
      expect(errors).toContain("Error: ");
      expect(left).toHaveLength(1);
    },
    RUN_MS,
  );
});
