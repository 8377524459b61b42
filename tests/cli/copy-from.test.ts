import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { listIds, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "./cli.js";
import { FILLED_SAVER } from "./filled-saver.js";

describeAnyTarget("copy-from", (target) => {
  let folder: string;
  let database: TestDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "copy-from-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    database = await target.sharedDatabase();
  });

  async function moduleOf(name: string, code: string): Promise<string> {
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, code);
    return file;
  }

  it.each([
    ["a saver", "export default saver;"],
    ["a saver by its name", "export const checkpointer = saver;"],
    ["a function", "export default async () => saver;"],
  ])("copies the threads of a module that exports %s, and only once", async (what, code) => {
    const file = await moduleOf(what.replaceAll(" ", "-"), `${FILLED_SAVER}${code}`);
    const run = cliOn(database);
    expect(await run("copy-from", file)).toEqual({
      ...{ code: 0, stderr: "", stdout: "copied 2 threads: 4 checkpoints\n" },
    });
    const again = await run("copy-from", file, "42", "--json");
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ total: 1, threads: 1, checkpoints: 0, skipped: 2, missing: [], damaged: [] },
    });
    const saver = new PostgresSaver(database.source);
    expect(await listIds(saver.list(threadConfig("43")))).toEqual(["2", "1"]);
    await saver.end();
  });

  it("exits with 1 for a thread that the source does not have, and copies the others", async () => {
    const file = await moduleOf("missing", `${FILLED_SAVER}export default saver;`);
    expect(await cliOn(database)("copy-from", file, "42", "44")).toMatchObject({
      ...{ code: 1, stdout: "copied 1 thread: 2 checkpoints\nmissing the source has no thread 44\n" },
    });
  });

  it("closes the saver, names the checkpoint that can't be read, and copies the others; --strict stops there", async () => {
    const code = `${FILLED_SAVER}
      const read = saver.getTuple.bind(saver);
      saver.getTuple = (config) => {
        if (config.configurable.thread_id === "42") throw new Error("no checkpoint");
        return read(config);
      };
      saver.end = () => { globalThis.copyFromEnded = true; };
      export default saver;`;
    const file = await moduleOf("broken", code);
    const strict = await cliOn(database)("copy-from", file, "43", "42", "--strict");
    expect(strict).toMatchObject({
      code: 1,
      stderr:
        'error: thread "42", checkpoint "1" was not copied: no checkpoint; ' +
        "copied before: 1 thread: 2 checkpoints; run the command again to continue\n",
    });
    expect(await cliOn(database)("copy-from", file)).toMatchObject({
      code: 3,
      stdout:
        "copied 1 thread: 0 checkpoints; 2 were there already\nleft, because they can't be copied:\n" +
        '  thread "42", checkpoint "1": no checkpoint\n',
    });
    expect(Reflect.get(globalThis, "copyFromEnded")).toBe(true);
  });

  it("stops where the source has lost its connection: the other threads are not damaged", async () => {
    const code = `${FILLED_SAVER}
      saver.getTuple = async () => { throw Object.assign(new Error("lost"), { code: "ECONNRESET" }); };
      export default saver;`;
    const { code: exit, stderr } = await cliOn(database)("copy-from", await moduleOf("lost", code));
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining("was not copied: lost") });
  });

  it.each([
    ["no saver", "export default {};", /must export a checkpoint saver/],
    [
      "a function that fails",
      "export default () => { throw new Error('no file'); };",
      /function failed: no file/,
    ],
    ["an error", "throw new Error('no driver');", /can't be loaded: no driver/],
  ])("exits with 2 for a module with %s", async (what, code, message) => {
    const file = await moduleOf(what.replaceAll(" ", "-"), code);
    expect(await cliOn(database)("copy-from", file)).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(message) },
    });
  });
});
