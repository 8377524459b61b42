import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { sql } from "kysely";
import { ConcurrentModificationError, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { idOf, outcomesOf, putFrom } from "../../test-support/put-from.js";
import { observedPool } from "../../test-support/round-trips.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { until } from "../../test-support/until.js";

const ADVANCING = new URL("../../test-support/advancing-process.ts", import.meta.url);
const OPTIMISTIC = { concurrency: "optimistic", retry: false } as const;

describeServer("optimistic concurrency on a server", (target) => {
  let program: CompiledProgram;
  let database: TestDatabase<string>;
  let thread: string;
  const savers: PostgresSaver[] = [];

  beforeAll(async () => {
    program = await CompiledProgram.compile(ADVANCING);
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    database = await target.sharedDatabase();
    thread = newThread();
  });
  afterEach(async () => {
    for (const saver of savers.splice(0)) await saver.end();
  });

  function openSaver(source = database.source, options: PostgresSaverOptions = OPTIMISTIC): PostgresSaver {
    const saver = new PostgresSaver(source, undefined, options);
    savers.push(saver);
    return saver;
  }

  /** Reads the checkpoints of the thread, oldest first, and expects each to follow the one before. */
  async function line(): Promise<unknown[]> {
    const tuples = (await collect(openSaver().list(threadConfig(thread)))).reverse();
    const ids = tuples.map(({ config }) => idOf(config));
    expect(tuples.map(({ parentConfig }) => parentConfig && idOf(parentConfig))).toEqual([
      undefined,
      ...ids.slice(0, -1),
    ]);
    return ids;
  }

  /** Lets several savers, each with connections of its own, race for each step of the thread. */
  async function race(rounds: number): Promise<void> {
    const racers = Array.from({ length: 4 }, () => openSaver());
    let head: RunnableConfig = threadConfig(thread);
    for (let round = 0; round < rounds; round++) {
      const from = head;
      const { kept, errors } = await outcomesOf(
        [...racers, ...racers, ...racers].map(async (racer) => {
          head = await putFrom(racer, "loop", from);
        }),
      );
      expect(kept).toBe(1);
      for (const error of errors) expect(error).toBeInstanceOf(ConcurrentModificationError);
    }
    expect(await line()).toHaveLength(rounds);
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: rounds, blobs: rounds, writes: 0 });
  }

  it("accepts one of many savers at each step of a thread (C5)", async () => {
    await race(15);
  });

  it.each(["repeatable read", "serializable"])(
    "does so where the database is %s by default (C11)",
    async (isolation) => {
      await database.exec(
        `do $$ begin execute format('alter database %I set default_transaction_isolation = %L',
          current_database(), '${isolation}'); end $$`,
      );
      await race(6);
    },
  );

  it("accepts one of many processes", async () => {
    const [processes, attempts] = [3, 20];
    const children = Array.from({ length: processes }, () =>
      program.start(database.source, thread, String(attempts)),
    );
    try {
      await Promise.all(children.map(({ stdout }) => once(stdout, "readable")));
      const outputs = children.map(({ stdout }) => text(stdout));
      for (const { stdin } of children) stdin.write("go");
      const stored = (await Promise.all(outputs)).map((output) => Number(output.replace("ready\n", "")));
      expect(await line()).toHaveLength(stored.reduce((sum, count) => sum + count, 0));
      expect(Math.max(...stored)).toBeGreaterThan(0);
    } finally {
      for (const child of children) child.kill("SIGKILL");
    }
  });

  const WAITING = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into%'`;

  /** Runs `put` until it waits to insert, runs `meanwhile`, and lets it continue. */
  async function whenInserting<T>(put: () => Promise<T>, act: () => void): Promise<T> {
    const waiting = await database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        await sql`lock table checkpoints in share row exclusive mode`.execute(transaction);
        const pending = put();
        await until(async () => (await database.query(WAITING)).length > 0);
        act();
        return { pending };
      });
    return waiting.pending;
  }

  it("accepts the retry of a put whose answer was lost after its commit (C6)", async () => {
    const proxy = await TcpProxy.open(database.source);
    const saver = openSaver(proxy.url, { concurrency: "optimistic" });
    const first = await putFrom(saver, "input", threadConfig(thread));
    const second = await whenInserting(
      () => putFrom(saver, "loop", first),
      () => {
        proxy.cutNext("toClient");
      },
    );
    expect(await line()).toEqual([idOf(first), idOf(second)]);
    await proxy.close();
  });

  it("takes two round trips for a put, and no extra one for forks, writes and deletions", async () => {
    const { pool, sent } = observedPool(database.source);
    const saver = new PostgresSaver(pool, undefined, OPTIMISTIC);
    // The first use of a connection asks which server process serves it.
    await saver.getTuple(threadConfig(thread));
    sent.length = 0;
    const first = await putFrom(saver, "input", threadConfig(thread));
    expect(sent).toEqual([expect.stringContaining("head_checkpoint_id"), "commit"]);
    sent.length = 0;
    await putFrom(saver, "fork", first);
    await saver.putWrites(first, [["a", 1]], "task");
    await saver.deleteThread(thread);
    // A statement, or a transaction in one round trip.
    const isStored = expect.stringMatching(/insert into|^commit$/);
    expect(sent).toEqual([isStored, isStored, "commit"]);
    await pool.end();
  });
});
