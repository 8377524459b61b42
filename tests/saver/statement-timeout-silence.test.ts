import { beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { rejectionOf } from "./bounded/hung-statements.js";
import { type Opening, OPENINGS } from "./bounded/openings.js";

/** Only statements on silent connections reach it. */
const TIMEOUT_MS = 1_000;

// These tests wait until connections are abandoned, so that all kinds of savers wait at once.
describeServer("statementTimeoutMs on a connection that becomes silent", (target) => {
  let database: TestDatabase<string>;
  beforeAll(async () => {
    database = await target.sharedDatabase();
  });

  async function onAllOpenings(run: (opening: Opening) => Promise<void>): Promise<void> {
    const outcomes = await Promise.allSettled(OPENINGS.map(run));
    expect(outcomes).toEqual(OPENINGS.map(() => ({ status: "fulfilled", value: undefined })));
  }

  it("ends the wait, and the call is retried on another connection", async () => {
    await onAllOpenings(async ({ on, open }) => {
      const proxy = await TcpProxy.open(database.source);
      const { saver, close } = open(proxy.url, { statementTimeoutMs: TIMEOUT_MS });
      const { config } = await putValues(saver, threadConfig(on), { a: ["kept"] });
      const resetSilent = proxy.blackHole();
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: ["kept"] });
      const silentAgain = proxy.blackHole();
      await saver.batch(async (batch) => {
        await batch.deleteThread(on);
        await batch.putWrites(threadConfig(`new ${on}`, { checkpoint_id: "1" }), [["a", 1]], "task");
      });
      expect(await saver.getTuple(config)).toBeUndefined();
      resetSilent();
      silentAgain();
      await close();
      await proxy.close();
    });
  });

  it("costs one call its time, and no later one that would get another silent connection", async () => {
    const proxy = await TcpProxy.open(database.source);
    const pool = new pg.Pool({ connectionString: proxy.url });
    const options = { statementTimeoutMs: TIMEOUT_MS, retry: false, grouping: false } as const;
    const saver = new PostgresSaver(pool, undefined, options);
    const { config } = await putValues(saver, threadConfig("next"), { a: ["kept"] });
    const read = () => saver.getTuple(config);
    await Promise.all([read(), read(), read()]);
    expect(pool.totalCount).toBe(3);
    const resetSilent = proxy.blackHole();
    expect(await rejectionOf(read())).toBeInstanceOf(ConnectionError);
    expect(await read()).toBeDefined();
    resetSilent();
    await pool.end();
    await proxy.close();
  });

  it("causes a ConnectionError if nothing answers any more", async () => {
    await onAllOpenings(async ({ on, open }) => {
      const proxy = await TcpProxy.open(database.source);
      const options = { statementTimeoutMs: TIMEOUT_MS, retry: { maxElapsedMs: 1_000 } };
      const { saver, close } = open(proxy.url, options, { connectionTimeoutMillis: 300 });
      const { config } = await putValues(saver, threadConfig(on), { a: ["kept"] });
      const resume = proxy.stall();
      const error = await rejectionOf(saver.getTuple(config));
      expect(error).toBeInstanceOf(ConnectionError);
      resume();
      expect(await saver.getTuple(config)).toBeDefined();
      await close();
      await proxy.close();
    });
  });
});
