import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  type DatabaseSource,
  handlePoolErrors,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import { watchChannel, watchScope } from "../../src/saver/notifications/watch-channel.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilConnections } from "../../test-support/held-locks.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { beginWatch, nextYieldedId } from "../../test-support/watches.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { until } from "../../test-support/until.js";

const LISTENING = `
  select pid from pg_stat_activity where datname = current_database() and query like any (array['listen %', 'unlisten %', 'select 1'])
  and pid <> pg_backend_pid()`;

/** The listening connections that get notifications from now on. */
const NOTIFIED = `
  select pid from pg_stat_activity where datname = current_database() and query like 'listen %' and state = 'idle'`;

/** Enough puts that the server sends notifications while a connection starts to listen. */
const PUTS = 400;

describeServer("watch on a server", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  let thread: string;
  const opened: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = openSaver();
    thread = newThread();
  });
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  function openSaver(
    source: DatabaseSource = database.source,
    options: PostgresSaverOptions = {},
  ): PostgresSaver {
    const own = new PostgresSaver(source, undefined, { notify: true, ...options });
    opened.push(() => own.end());
    return own;
  }

  function openPool(url = database.source, max = 10): pg.Pool {
    const pool = handlePoolErrors(new pg.Pool({ connectionString: url, max }));
    opened.push(() => pool.end());
    return pool;
  }

  async function openProxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(database.source);
    opened.push(() => proxy.close());
    return proxy;
  }

  async function endListeners(): Promise<void> {
    await database.query(`select pg_terminate_backend(pid) from (${LISTENING}) as listening`);
  }

  it("continues after its backend is killed, and yields once what was stored in the meantime", async () => {
    const logger = new RecordingLogger();
    const proxy = await openProxy();
    const watch = await beginWatch(openSaver(proxy.url, { logger }).watch(thread), database, thread);
    for (let round = 0; round < 3; round++) {
      const pending = nextYieldedId(watch);
      const letThrough = proxy.stall();
      await endListeners();
      const missed = [];
      for (let n = 0; n < 3; n++) {
        missed.push(
          (await putValues(saver, threadConfig(thread, { checkpoint_ns: `ns ${n}` }), { a: n })).checkpoint
            .id,
        );
      }
      letThrough();
      expect([await pending, await nextYieldedId(watch), await nextYieldedId(watch)]).toEqual(missed);
      const live = nextYieldedId(watch);
      const { checkpoint } = await putValues(saver, threadConfig(thread), { a: round });
      expect(await live).toBe(checkpoint.id);
    }
    await watch.return(undefined);
    expect(logger.at("warn").map(({ message }) => message)).toContain(
      "watches lost their connection, reconnecting",
    );
    expect(logger.at("error")).toEqual([]);
  });

  it("finds what it missed in a namespace, although another one has a newer checkpoint", async () => {
    const proxy = await openProxy();
    const watch = await beginWatch(openSaver(proxy.url).watch(thread), database, thread);
    const older = checkpointOf(saver, { a: 1 });
    const live = nextYieldedId(watch);
    const { checkpoint } = await putValues(saver, threadConfig(thread), { a: 2 });
    expect(await live).toBe(checkpoint.id);

    const pending = nextYieldedId(watch);
    const letThrough = proxy.stall();
    await endListeners();
    const inSubgraph = threadConfig(thread, { checkpoint_ns: "sub" });
    await saver.put(inSubgraph, older, metadataOf(), allVersions(older));
    const newest = await putValues(saver, threadConfig(thread), { a: 3 });
    letThrough();
    expect(await pending).toBe(older.id);
    expect(await nextYieldedId(watch)).toBe(newest.checkpoint.id);
    await watch.return(undefined);
  });

  it("yields every checkpoint once and in order while its connection is reset repeatedly", async () => {
    const proxy = await openProxy();
    const watch = await beginWatch(openSaver(proxy.url).watch(thread), database, thread);
    const stored: string[] = [];
    const storing = (async () => {
      let config = threadConfig(thread);
      for (let n = 0; n < PUTS; n++) {
        const put = await putValues(saver, config, { a: n });
        config = put.config;
        stored.push(put.checkpoint.id);
        if (n % 25 === 7) proxy.resetAll();
      }
    })();
    const yielded: (string | undefined)[] = [];
    while (yielded.length < PUTS) yielded.push(await nextYieldedId(watch));
    await storing;
    expect(yielded).toEqual(stored);
    await watch.return(undefined);
  });

  it("yields a checkpoint made before the watch started, in order, when it is stored before the first search", async () => {
    const pool = openPool(database.source, 1);
    const checkpoint = checkpointOf(saver, { a: 1 });
    const only = await pool.connect();
    const watch = openSaver(pool).watch(thread);
    const first = nextYieldedId(watch);
    await until(async () => (await database.query(NOTIFIED)).length > 0);
    const config = await saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    const last = await putValues(saver, config, { a: 2 });
    only.release();
    expect([await first, await nextYieldedId(watch)]).toEqual([checkpoint.id, last.checkpoint.id]);
    await watch.return(undefined);
  });

  it("yields a checkpoint again after it was deleted and stored again", async () => {
    const watch = await beginWatch(saver.watch(thread), database, thread);
    const { checkpoint } = await putValues(saver, threadConfig(thread), { a: 1 });
    expect(await nextYieldedId(watch)).toBe(checkpoint.id);
    await saver.deleteThread(thread);
    await saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    expect(await nextYieldedId(watch)).toBe(checkpoint.id);
    await watch.return(undefined);
  });

  it("yields checkpoints that were stored while the caller didn't ask for more, in pages", async () => {
    const watch = await beginWatch(saver.watch(thread), database, thread);
    await endListeners();
    const configs = Array.from({ length: 700 }, () => threadConfig(thread));
    const stored = await saver.batch((batch) => {
      const checkpoints = configs.map((config, n) => ({ config, checkpoint: checkpointOf(saver, { a: n }) }));
      for (const { config, checkpoint } of checkpoints) {
        void batch.put(config, checkpoint, metadataOf(), checkpoint.channel_versions);
      }
      return checkpoints.map(({ checkpoint }) => checkpoint.id);
    });
    const yielded: (string | undefined)[] = [];
    while (yielded.length < stored.length) yielded.push(await nextYieldedId(watch));
    expect(yielded).toEqual(stored);
    await watch.return(undefined);
  });

  it("shares one connection outside of the pool, and closes it", async () => {
    const pool = openPool();
    const savers = [openSaver(pool), openSaver(pool)];
    const watches = savers.flatMap((own) => Array.from({ length: 5 }, () => own.watch(thread)));
    const pending = watches.map(nextYieldedId);
    await putValues(saver, threadConfig(thread), { a: 1 });
    await Promise.all(pending);
    await until(async () => (await database.query(LISTENING)).length === 1);
    await Promise.all(watches.slice(0, 5).map((watch) => watch.return(undefined)));
    expect(await database.query(LISTENING)).toHaveLength(1);
    // The passed-in pool stays open, and the watches end.
    const last = watches.slice(5).map((watch) => watch.next());
    await savers[1]?.end();
    for (const result of await Promise.all(last)) expect(result.done).toBe(true);
    await saver.end();
    await pool.query("select 2");
    await untilConnections(database, pool.totalCount);
    expect(await database.query(LISTENING)).toEqual([]);
  });

  it("closes its connection when its signal aborts, even if the caller doesn't ask for more", async () => {
    const caller = new AbortController();
    const watching = openSaver();
    const watch = await beginWatch(watching.watch(thread, { signal: caller.signal }), database, thread);
    caller.abort();
    await until(async () => (await database.query(LISTENING)).length === 0);
    await expect(watch.next()).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("is refused on a Kysely and on a transaction, which can't listen", async () => {
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool: openPool() }) });
    const refused = { code: "INVALID_CONFIG", field: "source" };
    await expect(openSaver(db).watch(thread).next()).rejects.toMatchObject(refused);
    await db.transaction().execute(async (transaction) => {
      await expect(openSaver(transaction).watch(thread).next()).rejects.toMatchObject(refused);
    });
  });

  it("gets notifications from a Kysely, and from a transaction when it commits", async () => {
    const watch = await beginWatch(saver.watch(thread), database, thread);
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool: openPool() }) });
    const pending = nextYieldedId(watch);
    const discarded = db.transaction().execute(async (transaction) => {
      await putValues(openSaver(transaction), threadConfig(thread), { a: 1 });
      throw new Error("rolled back");
    });
    await expect(discarded).rejects.toThrow("rolled back");
    const { checkpoint, before } = await db.transaction().execute(async (transaction) => {
      const inside = await putValues(openSaver(transaction), threadConfig(thread), { a: 2 });
      const outside = await putValues(openSaver(db), threadConfig(thread), { a: 3 });
      return { checkpoint: inside.checkpoint, before: outside.checkpoint };
    });
    expect(await pending).toBe(before.id);
    expect(await nextYieldedId(watch)).toBe(checkpoint.id);
    await watch.return(undefined);
  });

  it("of one tenant gets no notifications of another tenant's thread with the same id", () => {
    const channels = ["a", "b", undefined].map((tenantId) =>
      watchChannel(watchScope("public", tenantId), thread),
    );
    expect(new Set(channels).size).toBe(3);
  });

  it("fails at the start when no server answers, after its retries, and immediately without retries", async () => {
    const nowhere = "postgres://127.0.0.1:1/none";
    const bounded = openSaver(nowhere, { retry: { maxElapsedMs: 50 } });
    const impatient = openSaver(nowhere, { retry: false });
    for (const own of [bounded, impatient]) {
      await expect(own.watch(thread).next()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    }
  });
});
