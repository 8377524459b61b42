import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import {
  AbortError,
  PostgresSaver,
  type PostgresSaverOptions,
  StatementTimeoutError,
} from "../../src/index.js";
import { newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { countWaiting } from "../../test-support/held-locks.js";
import { runOfficialConformance } from "../../test-support/official-conformance.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { describePgBouncer } from "./describe-pgbouncer.js";
import { PgBouncer } from "./pgbouncer.js";
import { until } from "../../test-support/until.js";

const POOL_SIZE = 3;
const CALLS = 10;
const ATTEMPTS = 8;

describePgBouncer("the calls of a saver", (target) => {
  let database: TestDatabase<string>;
  let pooler: PgBouncer;
  const savers: PostgresSaver[] = [];

  beforeEach(async () => {
    database = await target.createDatabase();
    pooler = await PgBouncer.open(database.source, { poolSize: POOL_SIZE });
    await openSaver().setup();
  });
  afterEach(async () => {
    await Promise.all(savers.splice(0).map((saver) => saver.end()));
    await pooler.close();
  });

  function openSaver(options: PostgresSaverOptions = {}): PostgresSaver {
    const saver = new PostgresSaver({ connectionString: pooler.url, max: 20 }, undefined, options);
    savers.push(saver);
    return saver;
  }

  /** Makes every read and write of a table wait until `work` is done. */
  function whileTableLocked(table: string, work: () => Promise<void>): Promise<void> {
    return database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        await transaction.schema.alterTable(table).setSchema("public").execute();
        await work();
      });
  }

  async function untilWaiting(count: number): Promise<void> {
    await until(async () => (await countWaiting(database)) === count);
  }

  it("are cancelled on the server when they are aborted, without cancelling other calls", async () => {
    const saver = openSaver();
    const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
    const controller = new AbortController();
    let other: Promise<unknown> = Promise.resolve();
    await whileTableLocked("checkpoints", async () => {
      const aborted = saver.getTuple(config, { signal: controller.signal }).catch((error: unknown) => error);
      other = saver.getTuple(config);
      await untilWaiting(2);
      controller.abort();
      expect(await aborted).toBeInstanceOf(AbortError);
      await untilWaiting(1);
    });
    expect(await other).toMatchObject({ checkpoint: { channel_values: { a: [1] } } });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
  });

  it("go on on a single client, whose session stays usable, after aborts have cancelled some", async () => {
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    const saver = new PostgresSaver(client);
    const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
    const neighbour = openSaver();
    for (let round = 0; round < ATTEMPTS; round++) {
      const controller = new AbortController();
      let others: Promise<unknown>[] = [];
      await whileTableLocked("checkpoints", async () => {
        const aborted = saver
          .getTuple(config, { signal: controller.signal })
          .catch((error: unknown) => error);
        others = [saver.getTuple(config), neighbour.getTuple(config)];
        await untilWaiting(2);
        controller.abort();
        expect(await aborted).toBeInstanceOf(AbortError);
      });
      for (const tuple of await Promise.all(others)) {
        expect(tuple).toMatchObject({ checkpoint: { channel_values: { a: [1] } } });
      }
    }
    await saver.withThreadLock("locked", () => putValues(saver, threadConfig("locked"), { a: [2] }));
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  it("are not executed later when they are aborted while they wait for the pooler", async () => {
    const saver = openSaver();
    const controller = new AbortController();
    await whileTableLocked("checkpoint_writes", async () => {
      const calls = Array.from({ length: CALLS }, (_, nth) => {
        const config = threadConfig(newThread(), { checkpoint_id: nextId() });
        const call = saver.putWrites(config, [["a", nth]], `task ${nth}`, "", { signal: controller.signal });
        return call.catch((error: unknown) => error);
      });
      await untilWaiting(POOL_SIZE);
      controller.abort();
      for (const outcome of await Promise.all(calls)) expect(outcome).toBeInstanceOf(AbortError);
      await untilWaiting(0);
    });
    expect(await database.query("select task_id from checkpoint_writes")).toEqual([]);
  });

  it("time out", async () => {
    const saver = openSaver({ statementTimeoutMs: 100 });
    const { config } = await putValues(openSaver(), threadConfig(newThread()), { a: [1] });
    await whileTableLocked("checkpoints", async () => {
      await expect(saver.getTuple(config)).rejects.toBeInstanceOf(StatementTimeoutError);
      await untilWaiting(0);
    });
    expect((await openSaver().getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
  });

  it("hold a thread's lock one at a time", async () => {
    const [one, another] = [openSaver(), openSaver()];
    const thread = newThread();
    let inside = 0;
    const counts: number[] = [];
    const enter = async (saver: PostgresSaver): Promise<void> => {
      await saver.withThreadLock(thread, async () => {
        counts.push(++inside);
        await putValues(saver, threadConfig(thread), { a: [1] });
        inside--;
      });
    };
    await Promise.all(Array.from({ length: ATTEMPTS }, (_, nth) => enter(nth % 2 === 0 ? one : another)));
    expect(counts).toEqual(Array.from({ length: ATTEMPTS }, () => 1));
    const locks = await database.query(
      `select from pg_locks join pg_database on pg_database.oid = database
       where locktype = 'advisory' and datname = current_database()`,
    );
    expect(locks).toEqual([]);
  });

  it("put only after the newest checkpoint with optimistic concurrency", async () => {
    const saver = openSaver({ concurrency: "optimistic", keepTombstones: true });
    const { config, checkpoint } = await putValues(saver, threadConfig(newThread()), { a: [1] });
    const puts = Array.from({ length: CALLS }, () => putValues(saver, config, { a: [2] }, checkpoint));
    const outcomes = await Promise.allSettled(puts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describePgBouncer("LangGraph's conformance suite", (target) => {
  let pooler: PgBouncer;
  let schemas = 0;

  runOfficialConformance({
    checkpointerName: "PostgresSaver",
    async beforeAll() {
      const { source } = await target.createDatabase();
      pooler = await PgBouncer.open(source, { poolSize: POOL_SIZE });
    },
    async afterAll() {
      await pooler.close();
    },
    async createCheckpointer() {
      const schema = `conformance ${schemas++}`;
      const saver = PostgresSaver.fromConnString(pooler.url, { schema });
      await saver.setup();
      return saver;
    },
    async destroyCheckpointer(saver) {
      await saver.end();
    },
  });
});
