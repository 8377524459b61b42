import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../support/checkpoints.js";

describe("a folder of PGlite's", () => {
  let folder: string;
  let lockFile: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pglite-folder-"));
    lockFile = join(folder, "langgraph-checkpoint.lock");
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("keeps its rows for the next one who opens it, who finds no lock", async () => {
    {
      await using saver = PostgresSaver.fromConnString(`file://${folder}`);
      await saver.setup();
      await putValues(saver, threadConfig("t"), { a: 1 });
    }
    expect(await readdir(folder)).not.toContain("langgraph-checkpoint.lock");
    await using saver = PostgresSaver.fromConnString(`file://${folder}`);
    expect((await saver.getTuple(threadConfig("t")))?.checkpoint.channel_values).toEqual({ a: 1 });
  });

  it("is refused to a second one while the first has it, in this process and in another", async () => {
    const url = `file://${folder}`;
    {
      await using first = PostgresSaver.fromConnString(url);
      await first.setup();
      await using second = PostgresSaver.fromConnString(url);
      const error = await second.getTuple(threadConfig("t")).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ transient: false });
      expect(String(error)).toContain(`process ${process.pid}`);
    }
    const other = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    await writeFile(lockFile, `${other.pid ?? ""} token`);
    await using third = PostgresSaver.fromConnString(url);
    await expect(third.setup()).rejects.toBeInstanceOf(ConnectionError);
    other.kill();
    await once(other, "exit");
    await third.setup();
  });

  it("is taken over from a process that was killed, or that had the id of this one", async () => {
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    for (const left of [`${gone.pid ?? ""} token`, `${process.pid} token`, ""]) {
      await writeFile(lockFile, left);
      await using saver = PostgresSaver.fromConnString(`file://${folder}`);
      await saver.setup();
    }
  });
});
