import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { Gate } from "../../test-support/gate.js";
import { untilLocks } from "../../test-support/held-locks.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { describePgBouncer } from "./describe-pgbouncer.js";
import { PgBouncer } from "./pgbouncer.js";

const LOCKING = new URL("../../test-support/locking-process.ts", import.meta.url);

describePgBouncer("the lock of a thread", (target) => {
  let program: CompiledProgram;
  let database: TestDatabase<string>;
  let pooler: PgBouncer;
  let saver: PostgresSaver;
  let other: PostgresSaver;
  let thread: string;

  beforeAll(async () => {
    program = await CompiledProgram.compile(LOCKING);
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    database = await target.createDatabase();
    pooler = await PgBouncer.open(database.source, { poolSize: 3 });
    [saver, other] = [new PostgresSaver(pooler.url), new PostgresSaver(pooler.url)];
    thread = newThread();
  });
  afterEach(async () => {
    await saver.end();
    await other.end();
    await pooler.close();
  });

  it("has one holder at a time while clients share server connections", async () => {
    await saver.setup();
    const steps = Array.from({ length: 20 }, (_, n) => {
      const current = n % 2 === 0 ? saver : other;
      return current.withThreadLock(thread, async () => {
        const tuple = await current.getTuple(threadConfig(thread));
        const count = Number(tuple?.checkpoint.channel_values.count ?? 0);
        await putValues(current, threadConfig(thread), { count: count + 1 }, tuple?.checkpoint);
      });
    });
    await Promise.all(steps);
    const tuple = await saver.getTuple(threadConfig(thread));
    expect(tuple?.checkpoint.channel_values).toEqual({ count: steps.length });
    await untilLocks(database, 0);
    const open = `select from pg_stat_activity where datname = current_database() and state like '%transaction%'`;
    expect(await database.query(open)).toEqual([]);
  });

  it("passes to a waiting run when its holder is killed", async () => {
    const holder = program.start(pooler.url, thread, "hold");
    try {
      expect(String(await once(holder.stdout, "data"))).toBe("locked");
      const waiting = saver.withThreadLock(thread, () => "ran");
      await untilLocks(database, 2);
      const exit = once(holder, "exit");
      holder.kill("SIGKILL");
      expect(await waiting).toBe("ran");
      await exit;
    } finally {
      holder.kill("SIGKILL");
    }
  });

  it("is lost when the pooler is killed, which aborts the run, and is free after a restart", async () => {
    const inside = new Gate();
    const held = saver.withThreadLock(thread, async ({ signal }) => {
      inside.open();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
    });
    await Promise.race([inside.opened, held]);
    await pooler.stop();
    await expect(held).rejects.toMatchObject({ code: "THREAD_LOCK_LOST" });
    await pooler.start();
    expect(await other.withThreadLock(thread, () => "ran")).toBe("ran");
  });
});
