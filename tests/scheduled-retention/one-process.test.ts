import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { listIds, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { endHolders, untilLocks } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { hoursAgo, putLine } from "../retention/put-line.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { startClocked } from "./clocked-retention.js";

const RETAINING = new URL("retaining-process.ts", import.meta.url);

describeServer("a retention of several processes", (target) => {
  let program: CompiledProgram;
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  let thread: string;
  let logger: RecordingLogger;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    program = await CompiledProgram.compile(RETAINING);
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    database = await target.migratedDatabase();
    logger = new RecordingLogger();
    saver = new PostgresSaver(database.source, undefined, { logger });
    thread = newThread();
  });
  afterEach(async () => {
    await saver.end();
    for (const child of processes.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
  });

  const putOld = () => putLine(saver, thread, hoursAgo(3, 2, 1));
  const count = async () => (await listIds(saver.list(threadConfig(thread)))).length;

  function start(...task: string[]) {
    const child = program.start(database.source, ...task);
    processes.push(child);
    return child;
  }

  it("is done by one of them, also between its rounds, and by another one when that is killed", async () => {
    const holder = start("hold");
    expect(String(await once(holder.stdout, "data"))).toBe("done");
    await putOld();
    const { retention, round } = startClocked(saver, { keepLast: 1 });
    await round();
    expect(await count()).toBe(3);
    expect(logger.at("debug")).toMatchObject([{ message: "retention runs in another process" }]);
    holder.kill("SIGKILL");
    await untilLocks(database, 0);
    await round();
    expect(await count()).toBe(1);
    await retention.stop();
  });

  it("passes on when it is stopped", async () => {
    await using other = new PostgresSaver(database.source);
    const first = startClocked(other, { keepLast: 1 });
    await first.round();
    await putOld();
    const second = startClocked(saver, { keepLast: 1 });
    await second.round();
    expect(await count()).toBe(3);
    await first.retention.stop();
    await second.round();
    expect(await count()).toBe(1);
    await second.retention.stop();
  });

  it("is separate for each tenant and each schema", async () => {
    await using other = new PostgresSaver(database.source, undefined, { schema: "other" });
    await other.setup();
    const first = startClocked(other, { keepLast: 1 });
    const second = startClocked(saver, { keepLast: 1 });
    await first.round();
    await putOld();
    await second.round();
    expect(await count()).toBe(1);
    await first.retention.stop();
    await second.retention.stop();
  });

  it("ends a round whose lock is lost, since another process may begin, and tries again", async () => {
    await putOld();
    const { retention, clock, round } = startClocked(saver, { keepLast: 1, maxRowsPerSecond: 1 });
    await clock.endPause();
    // Between two transactions of the round.
    await clock.untilPaused();
    await endHolders(database);
    await logger.until("retention failed");
    expect(logger.at("error")).toMatchObject([
      { fields: { operation: "retention", code: "CONNECTION_FAILED" } },
    ]);
    const left = await count();
    expect(left).toBeGreaterThan(1);
    await clock.endPause();
    await clock.endPause();
    await clock.endPause();
    await round();
    expect(await count()).toBe(1);
    await retention.stop();
  });

  it("doesn't keep a process running that has nothing else to do", async () => {
    const child = start();
    const [said] = await Promise.all([once(child.stdout, "data"), once(child, "exit")]);
    expect([String(said), child.exitCode]).toEqual(["done", 0]);
  });
});
