import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread } from "../../test-support/checkpoints.js";
import { untilLocks } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { LOG_TABLE } from "../../test-support/run-log.js";

const PROGRAM = fileURLToPath(new URL("../../test-support/locking-process.ts", import.meta.url));
const LOADER = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const PROCESSES = 2;
const RUNS = 15;

describeServer("the lock of a thread between processes", (target) => {
  let database: TestDatabase<string>;
  let thread: string;
  const processes: ChildProcessByStdio<null, Readable, null>[] = [];

  beforeEach(async () => {
    database = await target.createDatabase();
    thread = newThread();
  });
  afterEach(async () => {
    for (const child of processes.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
  });

  function start(task: string): ChildProcessByStdio<null, Readable, null> {
    const child = spawn(process.execPath, ["--import", LOADER, PROGRAM, database.source, thread, task], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    processes.push(child);
    return child;
  }

  it("is held by one process at a time", async () => {
    await database.exec(LOG_TABLE);
    const exits = Array.from({ length: PROCESSES }, () => once(start(String(RUNS)), "exit"));
    for (const exit of exits) expect(await exit).toEqual([0, null]);
    const log = await database.query<{ pid: number; word: string }>(
      "select pid, word from log order by number",
    );
    expect(log).toHaveLength(PROCESSES * RUNS * 2);
    for (let run = 0; run < PROCESSES * RUNS; run++) {
      const { pid } = log[2 * run] ?? {};
      expect(log.slice(2 * run, 2 * run + 2)).toEqual([
        { pid, word: "begin" },
        { pid, word: "end" },
      ]);
    }
  });

  it("passes to a waiting process when its holder is killed", async () => {
    const holder = start("hold");
    expect(String(await once(holder.stdout, "data"))).toBe("locked");
    await using saver = new PostgresSaver(database.source);
    const refused = saver.withThreadLock(thread, () => "ran", { waitMs: 0 });
    await expect(refused).rejects.toMatchObject({ code: "THREAD_LOCKED" });
    const waiting = saver.withThreadLock(thread, () => "ran");
    await untilLocks(database, 2);
    holder.kill("SIGKILL");
    expect(await waiting).toBe("ran");
  });
});
