import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../support/checkpoints.js";
import { describeServer } from "../support/targets.js";

const ROOT = new URL("../../", import.meta.url);

/** The script that docs/retention.md gives to crontab. */
async function nightlyScript(): Promise<string> {
  const page = await readFile(new URL("docs/retention.md", ROOT), "utf8");
  const [, script] = /```js\n(\/\/ prune\.mjs[^]*?)```/.exec(page) ?? [];
  if (script === undefined) throw new Error("docs/retention.md has no script any more");
  return script;
}

describeServer("the nightly script of docs/retention.md", (target) => {
  it("prunes on the Node that runs the tests, as JavaScript", async () => {
    const { source } = await target.createDatabase();
    const saver = new PostgresSaver(source);
    await saver.setup();
    await putValues(saver, threadConfig("t"), { list: ["new"] });

    const env = { ...process.env, DATABASE_URL: source };
    const node = spawn(process.execPath, ["--input-type=module", "-"], { cwd: fileURLToPath(ROOT), env });
    node.stdin.end(await nightlyScript());
    const [stdout, stderr] = await Promise.all([text(node.stdout), text(node.stderr)]);

    expect({ stdout, stderr }).toEqual({ stdout: "0 checkpoints and 0 bytes of 0 threads\n", stderr: "" });
    await saver.end();
  });
});
