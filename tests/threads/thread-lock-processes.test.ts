import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread } from "../../test-support/checkpoints.js";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { untilLocks } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { LOG_TABLE } from "../../test-support/run-log.js";

const LOCKING = new URL("../../test-support/locking-process.ts", import.meta.url);
const PROCESSES = 2;
const RUNS = 15;

describeServer("the lock of a thread between processes", (target) => {
  let program: CompiledProgram;
  let database: TestDatabase<string>;
  let thread: string;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    program = await CompiledProgram.compile(LOCKING);
  });
  afterAll(() => program.remove());
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

  function start(task: string) {
    const child = program.start(database.source, thread, task);
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
