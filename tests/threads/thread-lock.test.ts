import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { Gate } from "../../test-support/gate.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

describeEachTarget("the lock of a thread", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let thread: string;
  const savers: PostgresSaver[] = [];

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = openSaver();
    thread = newThread();
  });
  afterEach(async () => {
    for (const opened of savers.splice(0)) await opened.end();
  });

  function openSaver(options: PostgresSaverOptions = {}): PostgresSaver {
    const opened = new PostgresSaver(database.source, undefined, options);
    savers.push(opened);
    return opened;
  }

  /** Acquires the lock, and holds it until `release` is called. */
  async function acquire(
    locker = saver,
    threadId = thread,
  ): Promise<{ release: () => void; released: Promise<void> }> {
    const [inside, leave] = [new Gate(), new Gate()];
    const released = locker.withThreadLock(threadId, () => {
      inside.open();
      return leave.opened;
    });
    await Promise.race([inside.opened, released]);
    return { release: leave.open, released };
  }

  it("returns the result of the function, also when it is not a promise", async () => {
    expect(await saver.withThreadLock(thread, () => Promise.resolve(1))).toBe(1);
    expect(await saver.withThreadLock(thread, () => 2)).toBe(2);
  });

  it("is held by one call at a time, in the order of the calls", async () => {
    const log: number[] = [];
    let running = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        saver.withThreadLock(thread, async () => {
          expect(++running).toBe(1);
          await database.query("select 1");
          log.push(n);
          running--;
        }),
      ),
    );
    expect(log).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it("is shared by all savers on a database", async () => {
    const other = openSaver();
    const { release, released } = await acquire();
    await expect(other.withThreadLock(thread, () => "ran", { waitMs: 0 })).rejects.toMatchObject({
      code: "THREAD_LOCKED",
    });
    const waiting = other.withThreadLock(thread, () => "ran");
    release();
    await released;
    expect(await waiting).toBe("ran");
  });

  it("is released when the function fails, and rethrows its error unchanged", async () => {
    const failure = new Error("out of tokens");
    const fails = (): Promise<never> => Promise.reject(failure);
    const throws = (): never => {
      throw failure;
    };
    await expect(saver.withThreadLock(thread, fails)).rejects.toBe(failure);
    await expect(saver.withThreadLock(thread, throws)).rejects.toBe(failure);
    expect(await openSaver().withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
  });

  it("is waited for no longer than waitMs, in the same saver and in others", async () => {
    const { release, released } = await acquire();
    let runs = 0;
    for (const locker of [saver, openSaver()]) {
      for (const waitMs of [0, 20]) {
        const waiting = locker.withThreadLock(thread, () => ++runs, { waitMs });
        await expect(waiting).rejects.toMatchObject({
          name: "ThreadLockedError",
          code: "THREAD_LOCKED",
          threadId: thread,
          waitMs,
        });
      }
    }
    release();
    await released;
    expect(runs).toBe(0);
    // The calls that gave up don't block this one.
    expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
  });

  it("accepts a waitMs longer than the longest timer", async () => {
    const { release, released } = await acquire();
    const waiting = [2 ** 40, Infinity].map((waitMs) => saver.withThreadLock(thread, () => 1, { waitMs }));
    await database.query("select 1");
    release();
    await released;
    expect(await Promise.all(waiting)).toEqual([1, 1]);
  });

  it("does not block other threads, or the same thread in another schema", async () => {
    const inOtherSchema = openSaver({ schema: "other" });
    // Each function waits until all others run.
    const gates = [new Gate(), new Gate(), new Gate()];
    const meet = (n: number) => async (): Promise<void> => {
      gates[n]?.open();
      await Promise.all(gates.map(({ opened }) => opened));
    };
    await Promise.all([
      saver.withThreadLock(thread, meet(0)),
      saver.withThreadLock(newThread(), meet(1)),
      inOtherSchema.withThreadLock(thread, meet(2)),
    ]);
  });

  it("is the same for a numeric thread id and its text", async () => {
    const { release, released } = await acquire(saver, "42");
    await expect(saver.withThreadLock(42 as never, () => 1, { waitMs: 0 })).rejects.toMatchObject({
      code: "THREAD_LOCKED",
    });
    release();
    await released;
  });

  it("does not block other calls of the saver", async () => {
    await saver.setup();
    const { config } = await saver.withThreadLock(thread, () =>
      putValues(saver, threadConfig(thread), { a: 1 }),
    );
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
  });

  it("is refused to the function that holds it, which would wait for itself", async () => {
    const nested = (): Promise<string> => saver.withThreadLock(thread, () => "ran");
    await expect(saver.withThreadLock(thread, nested)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      field: "threadId",
      threadId: thread,
    });
    const deeper = (): Promise<string> => saver.withThreadLock(newThread(), nested);
    await expect(saver.withThreadLock(thread, deeper)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("can be requested by a task that outlives the function", async () => {
    const gate = new Gate();
    const leftBehind = await saver.withThreadLock(thread, () => ({
      promise: gate.opened.then(() => saver.withThreadLock(thread, () => "ran")),
    }));
    gate.open();
    expect(await leftBehind.promise).toBe("ran");
  });

  it("is waited for until the signal aborts, and the function receives the signal", async () => {
    const { release, released } = await acquire();
    for (const locker of [saver, openSaver()]) {
      const caller = new AbortController();
      const waiting = locker.withThreadLock(thread, () => "ran", { signal: caller.signal });
      const refused = expect(waiting).rejects.toMatchObject({
        name: "AbortError",
        code: "ABORTED",
        cause: "gone",
      });
      await database.query("select 1");
      caller.abort("gone");
      await refused;
      await expect(
        locker.withThreadLock(thread, () => "ran", { signal: caller.signal }),
      ).rejects.toMatchObject({
        code: "ABORTED",
      });
    }
    release();
    await released;

    const caller = new AbortController();
    const seen = saver.withThreadLock(
      thread,
      async ({ signal }) => {
        expect(signal.aborted).toBe(false);
        const aborted = new Gate();
        signal.addEventListener("abort", aborted.open);
        caller.abort("enough");
        await aborted.opened;
        return signal.reason as unknown;
      },
      { signal: caller.signal },
    );
    // The lock was not lost, so that the call returns the function's result.
    expect(await seen).toBe("enough");
    // This call waits, since a request of an aborted call may still be on its way to the server.
    expect(await saver.withThreadLock(thread, () => "ran")).toBe("ran");
  });

  it("is refused on a passed-in transaction", async () => {
    const db = database.kysely<never>();
    await db.transaction().execute(async (transaction) => {
      await expect(
        new PostgresSaver(transaction as never).withThreadLock(thread, () => 1),
      ).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "source" });
    });
  });

  it("stays held after end() until the function has ended, and is refused to later calls", async () => {
    const owner = new PostgresSaver(target.name === "postgres" ? database.source : "memory://");
    const { release, released } = await acquire(owner);
    const refused = [
      expect(owner.withThreadLock(thread, () => "ran")).rejects.toMatchObject({ code: "CONNECTION_FAILED" }),
    ];
    await owner.end();
    refused.push(
      expect(owner.withThreadLock(newThread(), () => "ran")).rejects.toMatchObject({
        code: "CONNECTION_FAILED",
      }),
    );
    await Promise.all(refused);
    if (target.name === "postgres") {
      await expect(saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).rejects.toMatchObject({
        code: "THREAD_LOCKED",
      });
    }
    release();
    await released;
    expect(await saver.withThreadLock(thread, () => "ran", { waitMs: 0 })).toBe("ran");
  });

  it("refuses invalid arguments", async () => {
    const run = (): number => 1;
    const calls: [() => Promise<unknown>, string][] = [
      [() => saver.withThreadLock("", run), "threadId"],
      [() => saver.withThreadLock(undefined as never, run), "threadId"],
      [() => saver.withThreadLock(thread, undefined as never), "run"],
      [() => saver.withThreadLock(thread, run, { waitMs: -1 }), "options.waitMs"],
      [() => saver.withThreadLock(thread, run, { waitMs: NaN }), "options.waitMs"],
      [() => saver.withThreadLock(thread, run, { waitMs: "1" as never }), "options.waitMs"],
      [() => saver.withThreadLock(thread, run, { signal: {} as never }), "options.signal"],
      [() => saver.withThreadLock(thread, run, 5 as never), "options"],
    ];
    for (const [call, field] of calls) {
      await expect(call()).rejects.toMatchObject({ code: "INVALID_CONFIG", field });
    }
  });
});
