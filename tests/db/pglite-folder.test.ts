import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { openDatabase } from "../../src/db/index.js";
import { lockPGliteFolder } from "../../src/db/pglite/lock-pglite-folder.js";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { createPgliteFolder } from "../../test-support/pglite-target.js";

describe("a PGlite folder", () => {
  let folder: string;
  let lockFile: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pglite-folder-"));
    await createPgliteFolder(folder);
    lockFile = join(folder, "langgraph-checkpoint.lock");
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("can't be opened twice, and keeps its rows, and no lock, when it is closed", async () => {
    const url = `file://${folder}`;
    {
      await using first = PostgresSaver.fromConnString(url);
      await first.setup();
      await putValues(first, threadConfig("t"), { a: 1 });
      await using second = PostgresSaver.fromConnString(url);
      const error = await second.getTuple(threadConfig("t")).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ transient: false });
      expect(String(error)).toContain(`process ${process.pid}`);
    }
    expect(await readdir(folder)).not.toContain("langgraph-checkpoint.lock");
    await using saver = PostgresSaver.fromConnString(url);
    expect((await saver.getTuple(threadConfig("t")))?.checkpoint.channel_values).toEqual({ a: 1 });
  });

  it("can't be opened while another process has it open, and can be once that one was killed", async () => {
    const other = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    await writeFile(lockFile, `${other.pid ?? ""} token`);
    await using saver = PostgresSaver.fromConnString(`file://${folder}`);
    await expect(saver.setup()).rejects.toBeInstanceOf(ConnectionError);
    other.kill();
    await once(other, "exit");
    await saver.setup();
  });

  it("can be locked after its process was killed, even if that process had the id of this one", async () => {
    for (const left of [`${process.pid} token`, ""]) {
      await writeFile(lockFile, left);
      lockPGliteFolder(folder)();
    }
  });
});

describe("a folder of PGlite's", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "pglite-folder-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const itWithModes = process.platform === "win32" ? it.skip : it;

  itWithModes("is private with all of its files, whether it is new or exists", async () => {
    const inner = join(folder, "new");
    for (const round of ["created", "opened again"]) {
      await using saver = PostgresSaver.fromConnString(`file://${inner}`);
      await saver.setup();
      expect({ round, open: await openToOthers(inner) }).toEqual({ round, open: [] });
      await putValues(saver, threadConfig(round), { a: "x".repeat(100_000), b: [round] });
      expect({ round, open: await openToOthers(inner) }).toEqual({ round, open: [] });
    }
    expect(await openToOthers(inner)).toEqual([]);
  });

  itWithModes("stays private when files are created, and becomes private again after chmod", async () => {
    const url = `file://${folder}`;
    await createPgliteFolder(folder);
    {
      const database = openDatabase(url);
      for (const statement of [
        "create table t (a int)",
        "insert into t select generate_series(1, 50000)",
        "checkpoint",
        "vacuum full t",
        "reindex table t",
        // Created by `fopen`, which asks for mode 666.
        "copy t to '/pglite/data/t.copy'",
      ]) {
        await database.kysely.executeQuery(CompiledQuery.raw(statement));
      }
      expect(await openToOthers(folder)).toEqual([]);
      await database.close();
      expect(await openToOthers(folder)).toEqual([]);
    }
    await chmod(folder, 0o755);
    await chmod(join(folder, "base"), 0o777);
    await chmod(join(folder, "PG_VERSION"), 0o644);
    await using saver = PostgresSaver.fromConnString(url);
    await saver.setup();
    expect(await openToOthers(folder)).toEqual([]);
  });

  itWithModes("keeps the permissions of a folder that contains other files", async () => {
    await chmod(folder, 0o755);
    await writeFile(join(folder, "letter.txt"), "dear all", { mode: 0o644 });
    await using saver = PostgresSaver.fromConnString(`file://${folder}`);
    await saver.setup().catch(() => undefined);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
    expect((await stat(join(folder, "letter.txt"))).mode & 0o777).toBe(0o644);
  });
});

/** The paths that other users have some permission on. */
async function openToOthers(folder: string): Promise<string[]> {
  const names = ["", ...(await readdir(folder, { recursive: true }))];
  const found: string[] = [];
  for (const name of names) {
    const { mode } = await stat(join(folder, name));
    if ((mode & 0o077) !== 0) found.push(`${name} ${(mode & 0o777).toString(8)}`);
  }
  return found;
}
