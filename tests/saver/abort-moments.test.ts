import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, expect, it } from "@jest/globals";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { Kysely, PGliteDialect } from "kysely";
import pg from "pg";
import { AbortError, type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describePglite, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { abortable } from "./bounded/abortable.js";
import { CALLS } from "./bounded/calls.js";
import { rejectionOf, untilHung, whileHeld } from "./bounded/hung-statements.js";
import { until } from "../../test-support/until.js";

const BEFORE = new Error("before");
const ABORTED_BEFORE = AbortSignal.abort(BEFORE);

const HUNG = "from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

describeServer("a call", (target) => {
  const closings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });

  async function openSaver(config: pg.PoolConfig = {}): Promise<{
    database: TestDatabase<string>;
    pool: pg.Pool;
    saver: PostgresSaver;
  }> {
    const database = await target.sharedDatabase();
    const pool = new pg.Pool({ connectionString: database.source, ...config });
    closings.push(() => pool.end());
    const saver = new PostgresSaver(pool);
    return { database, pool, saver };
  }

  it.each(CALLS)("takes no connection if it was aborted before it began: $what", async ({ call }) => {
    const { pool, saver } = await openSaver();
    const stored = { saver, ...(await putValues(saver, threadConfig("stored"), { a: ["kept"] })) };
    // Its connection goes back at the end of the turn.
    await setImmediate();
    let taken = 0;
    pool.on("acquire", () => taken++);
    const error = await rejectionOf(call(stored, ABORTED_BEFORE));
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ cause: BEFORE });
    expect(taken).toBe(0);
    await call(stored);
    expect(taken).toBeGreaterThan(0);
  });

  it("ends a list between two checkpoints of one page", async () => {
    const { saver } = await openSaver();
    let { config, checkpoint } = await putValues(saver, threadConfig("listed"), { a: [0] });
    ({ config, checkpoint } = await putValues(saver, config, { a: [1] }, checkpoint));
    await putValues(saver, config, { a: [2] }, checkpoint);
    const { signal, abort } = abortable();
    const list = saver.list(threadConfig("listed"), { signal });
    expect((await list.next()).done).toBe(false);
    abort();
    expect(await rejectionOf(list.next())).toBeInstanceOf(AbortError);
  });

  it("ignores the second argument of an Array.map callback", async () => {
    const { saver } = await openSaver();
    for (const thread of ["a", "b"]) await putValues(saver, threadConfig(thread), { a: [1] });
    const any: BaseCheckpointSaver = saver;
    await Promise.all(["a", "b"].map(any.deleteThread.bind(any)));
    for (const thread of ["a", "b"]) expect(await saver.getTuple(threadConfig(thread))).toBeUndefined();
  });

  it("rejects at once while it waits for a connection, which then returns to the pool", async () => {
    const { pool, saver } = await openSaver({ max: 1 });
    const { config } = await putValues(saver, threadConfig("stored"), { a: ["kept"] });
    const only = await pool.connect();
    const { signal, abort } = abortable();
    const rejection = rejectionOf(saver.getTuple(config, { signal }));
    await until(() => pool.waitingCount === 1);
    abort();
    expect(await rejection).toBeInstanceOf(AbortError);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    only.release();
    expect(await saver.getTuple(config)).toBeDefined();
    await setImmediate();
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0]);
  });

  it("can share its signal with any number of calls, without a warning of too many listeners", async () => {
    const { pool, saver } = await openSaver({ max: 1 });
    const { config } = await putValues(saver, threadConfig("stored"), { a: ["kept"] });
    const only = await pool.connect();
    const { signal, abort } = abortable();
    const rejections = Array.from({ length: 50 }, () => rejectionOf(saver.getTuple(config, { signal })));
    // The others wait to share a statement, until this one has taken too long.
    await until(() => pool.waitingCount > 0);
    abort();
    for (const error of await Promise.all(rejections)) expect(error).toBeInstanceOf(AbortError);
    only.release();
    expect(hasWarned(signal)).toBe(false);
  });

  it.each(CALLS)("leaves no listener on its signal: $what", async ({ call }) => {
    const { saver } = await openSaver();
    const stored = { saver, ...(await putValues(saver, threadConfig("stored"), { a: ["kept"] })) };
    const { signal } = abortable();
    await call(stored, signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("discards its connection, since the cancel request may arrive late", async () => {
    const { database, pool, saver } = await openSaver({ max: 1 });
    const { config } = await putValues(saver, threadConfig("stored"), { a: ["kept"] });
    let removed = 0;
    pool.on("remove", () => removed++);
    const { signal, abort } = abortable();
    await whileHeld(database, async () => {
      const rejection = rejectionOf(saver.getTuple(config, { signal }));
      await untilHung(database);
      abort();
      expect(await rejection).toBeInstanceOf(AbortError);
    });
    expect(await saver.getTuple(config)).toBeDefined();
    // The pool says so when the connection has ended, which a new one may overtake.
    await until(() => removed > 0);
    expect(removed).toBe(1);
  });

  it("rejects at once in a pause between two attempts", async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    closings.push(() => promisify(server.close.bind(server))());
    const { port } = server.address() as AddressInfo;
    const pool = new pg.Pool({ host: "127.0.0.1", port });
    closings.push(() => pool.end());
    const anHour = 3_600_000;
    const retry = { minDelayMs: anHour, maxDelayMs: anHour, maxElapsedMs: 2 * anHour };
    const saver = new PostgresSaver(pool, undefined, { retry });
    const { signal, abort } = abortable();
    const rejection = rejectionOf(saver.getTuple(threadConfig("any"), { signal }));
    await until(() => attempts === 1 && pool.totalCount === 0);
    await until(() => getEventListeners(signal, "abort").length === 1);
    abort();
    expect(await rejection).toBeInstanceOf(AbortError);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it.each([
    ["its first attempt", 0],
    ["a further attempt", 1],
  ])("resolves when %s had finished before the abort", async (_attempt, failures) => {
    const { database, saver: admin } = await openSaver();
    const proxy = await TcpProxy.open(database.source);
    closings.push(() => proxy.close());
    await using saver = new PostgresSaver(proxy.url);
    const { signal, abort } = abortable();
    const thread = newThread();
    const pending = await whileHeld(database, async () => {
      const writes = saver.putWrites(threadConfig(thread, { checkpoint_id: "1" }), [["a", 1]], "task", "", {
        signal,
      });
      await untilHung(database);
      for (let failure = 0; failure < failures; failure++) {
        const terminated = await database.query<{ pid: number }>(
          `select pid, pg_terminate_backend(pid) ${HUNG}`,
        );
        // The next attempt may already hang.
        const earlier = new Set(terminated.map(({ pid }) => pid));
        await until(async () => {
          const hung = await database.query<{ pid: number }>(`select pid ${HUNG}`);
          return hung.some(({ pid }) => !earlier.has(pid));
        });
      }
      return { writes, resume: proxy.stall() };
    });
    const rows = "select from checkpoint_writes where thread_id = $1";
    await until(async () => (await database.query(rows, [thread])).length > 0);
    abort();
    pending.resume();
    await expect(pending.writes).resolves.toBeUndefined();
    await admin.getTuple(threadConfig(thread));
  });
});

describePglite("a call", (target) => {
  it.each(CALLS)("sends nothing if it was aborted before it began: $what", async ({ call }) => {
    const { source: pglite } = await target.sharedDatabase();
    const sent: string[] = [];
    const kysely = new Kysely<CheckpointDatabase>({
      dialect: new PGliteDialect({ pglite }),
      log: ({ query }) => void sent.push(query.sql),
    });
    const saver = new PostgresSaver(kysely);
    const stored = { saver, ...(await putValues(saver, threadConfig("stored"), { a: ["kept"] })) };
    sent.length = 0;
    expect(await rejectionOf(call(stored, ABORTED_BEFORE))).toBeInstanceOf(AbortError);
    expect(sent).toEqual([]);
    await call(stored);
    expect(sent).not.toEqual([]);
  });

  it("leaves no listener on its signal, and finishes when it is aborted after it began", async () => {
    const { source } = await target.sharedDatabase();
    const saver = new PostgresSaver(source);
    const { config } = await putValues(saver, threadConfig("stored"), { a: ["kept"] });
    const { signal, abort } = abortable();
    await saver.getTuple(config, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const written = saver.putWrites(config, [["a", 1]], "task", "", { signal }).then(
      () => 1,
      () => 0,
    );
    await setImmediate();
    abort();
    const stored = (await saver.getTuple(config))?.pendingWrites ?? [];
    expect(stored).toHaveLength(await written);
  });
});

/**
 * Reads the mark that Node sets when it has warned of too many listeners. Jest's process does not receive
 * warnings.
 */
function hasWarned(signal: AbortSignal): boolean {
  const note = Object.getOwnPropertySymbols(signal).find(
    ({ description }) => description === "events.maxEventTargetListenersWarned",
  );
  expect(note).toBeDefined();
  return note !== undefined && Reflect.get(signal, note) === true;
}
