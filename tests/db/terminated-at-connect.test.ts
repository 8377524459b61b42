import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { DatabaseSource } from "../../src/db/opened-database.js";
import {
  type CheckpointDatabase,
  ConnectionError,
  handlePoolErrors,
  PostgresSaver,
  type PostgresSaverOptions,
  StatementTimeoutError,
} from "../../src/index.js";
import { loadBuilds } from "../../test-support/builds.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { beginWatch } from "../../test-support/watches.js";
import { rejectionOf, whileHeld } from "../saver/bounded/hung-statements.js";
import { Opened } from "../saver/opened.js";

/** A custom pool class that queries its connections before it hands them out. */
class InspectingPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    const onConnect = (client: pg.ClientBase): Promise<unknown> => client.query("select 1");
    const hooks: object = { onConnect };
    super({ ...config, ...hooks });
  }
}

/** A custom client class. */
class NamedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, application_name: "named" });
  }
}

type Source = (url: string) => DatabaseSource;

const builds = await loadBuilds("index");

/** How often the connection of a call is terminated before the call gets one that works. */
const TIMES = 3;

// Without a listener for an error of a connection, Jest fails the test, as Node would end the process.
describeServer("a backend that is terminated while it connects", (target) => {
  const opened = new Opened();
  let database: TestDatabase<string>;
  let proxy: TcpProxy;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    proxy = await TcpProxy.open(database.source);
  });
  afterEach(async () => {
    await opened.end();
    await proxy.close();
  });

  const pool = (config: pg.PoolConfig): pg.Pool => opened.track(new pg.Pool(config));
  const SOURCES: { on: string; source: Source }[] = [
    { on: "a pool that the saver opens", source: (connectionString) => ({ connectionString, max: 2 }) },
    { on: "a passed-in pool", source: (connectionString) => pool({ connectionString, max: 2 }) },
    {
      on: "a passed-in pool of pipelining clients",
      source: (connectionString) => pool({ connectionString, ...{ pipeline: true } }),
    },
    {
      on: "a passed-in pool with a custom client class",
      source: (connectionString) => pool({ connectionString, ...{ Client: NamedClient } }),
    },
    {
      on: "a passed-in pool of a custom class, with a hook",
      source: (connectionString) => opened.track(new InspectingPool({ connectionString })),
    },
    {
      on: "the pool of a passed-in Kysely, with handlePoolErrors",
      source: (connectionString) =>
        new Kysely<CheckpointDatabase>({
          dialect: new PostgresDialect({ pool: handlePoolErrors(pool({ connectionString })) }),
        }),
    },
  ];

  const onEach = builds.flatMap(([build, ours]) => SOURCES.map((row) => ({ ...row, build, ours })));
  describe.each(onEach)("on $on, under a saver loaded by $build", ({ source, ours }) => {
    function openSaver(options?: PostgresSaverOptions): PostgresSaver {
      return opened.track(new ours.PostgresSaver(source(proxy.url), undefined, options));
    }

    it("fails neither the call nor the process", async () => {
      const saver = openSaver();
      proxy.terminateNew(TIMES);
      const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
      expect(proxy.terminated).toBe(TIMES);
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
    });

    it("fails the call without retries, and the process stays alive", async () => {
      const saver = openSaver({ retry: false });
      proxy.terminateNew(1);
      await expect(saver.getTuple(threadConfig(newThread()))).rejects.toBeInstanceOf(ours.ConnectionError);
      expect(proxy.terminated).toBe(1);
      expect(await saver.getTuple(threadConfig(newThread()))).toBeUndefined();
    });

    it("fails none of many concurrent calls", async () => {
      const saver = openSaver();
      proxy.terminateNew(8);
      await Promise.all(
        Array.from({ length: 24 }, (_, n) => putValues(saver, threadConfig(newThread()), { n })),
      );
      expect(proxy.terminated).toBe(8);
    });
  });

  it("fails neither a lock nor the process", async () => {
    const saver = opened.saver(proxy.url);
    proxy.terminateNew(TIMES);
    expect(await saver.withThreadLock(newThread(), () => Promise.resolve("held"))).toBe("held");
    expect(proxy.terminated).toBe(TIMES);
  });

  it("fails neither a watch nor the process", async () => {
    const thread = newThread();
    proxy.terminateNew(TIMES);
    const watch = await beginWatch(opened.saver(proxy.url).watch(thread), database, thread);
    expect(proxy.terminated).toBe(TIMES);
    await watch.return(undefined);
  });

  it("does not fail a call whose connection dies at the end of another caller's statement", async () => {
    const shared = pool({ connectionString: proxy.url, max: 1 });
    await shared.query("select 1");
    const saver = opened.saver(shared);
    proxy.terminateWhenReady();
    // The pool hands the connection to the saver while the rest of the chunk is still unread.
    const [, tuple] = await Promise.all([
      shared.query("select 2"),
      saver.getTuple(threadConfig(newThread())),
    ]);
    expect(tuple).toBeUndefined();
    expect(proxy.terminated).toBe(1);
  });

  it("does not give a call the connection that the statement of another one has just lost", async () => {
    await database.exec(`
      create function lose(thread_id text) returns boolean language plpgsql as
        $$ begin if thread_id = 'lost' then perform pg_terminate_backend(pg_backend_pid()); end if; return true; end $$;
      alter table checkpoints add check (lose(thread_id))`);
    const saver = opened.saver(pool({ connectionString: proxy.url, max: 1 }), {
      retry: false,
      grouping: false,
    });
    for (let round = 0; round < 10; round++) {
      const outcomes = await Promise.allSettled([
        putValues(saver, threadConfig("lost"), { a: [1] }),
        saver.getTuple(threadConfig("read")),
      ]);
      expect(outcomes).toEqual([
        { status: "rejected", reason: expect.any(ConnectionError) },
        { status: "fulfilled", value: undefined },
      ]);
    }
    await database.exec("drop function lose cascade");
  });

  // Kysely opens a separate connection for a cancel request.
  it("does not end the process when Kysely connects to cancel a statement", async () => {
    const shared = handlePoolErrors(pool({ connectionString: proxy.url }));
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool: shared }) });
    const saver = opened.saver(kysely, { statementTimeoutMs: 100 });
    // Opens the connection that the call uses, so that the next new one is the one that cancels.
    await saver.getTuple(threadConfig(newThread()));
    await whileHeld(database, async () => {
      proxy.terminateNew(1);
      // The first attempt is abandoned, since its cancel request fails. The server cancels the retry.
      expect(await rejectionOf(saver.getTuple(threadConfig(newThread())))).toBeInstanceOf(
        StatementTimeoutError,
      );
    });
    expect(proxy.terminated).toBe(1);
  });
});
