import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { DatabaseSource } from "../../src/db/open-database.js";
import {
  type CheckpointDatabase,
  ConnectionError,
  handlePoolErrors,
  PostgresSaver,
  type PostgresSaverOptions,
  StatementTimeoutError,
} from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../support/checkpoints.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../support/targets.js";
import { beginWatch } from "../support/watches.js";
import { rejectionOf, whileHeld } from "../saver/bounded/hung-statements.js";
import { Opened } from "../saver/opened.js";

/** A pool class of an application's own, that looks at its connections before it hands them out. */
class InspectingPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    const onConnect = (client: pg.ClientBase): Promise<unknown> => client.query("select 1");
    const hooks: object = { onConnect };
    super({ ...config, ...hooks });
  }
}

/** A client class of an application's own. */
class NamedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, application_name: "named" });
  }
}

type Source = (url: string) => DatabaseSource;

/** The times that a call's connection is terminated before it gets one that works. */
const TIMES = 3;

// Without a listener Jest, as Node, takes an error of a connection for one of the program.
describeServer("a backend that is terminated as it connects", (target) => {
  const opened = new Opened();
  let database: TestDatabase<string>;
  let proxy: TcpProxy;

  beforeEach(async () => {
    database = await target.createDatabase();
    proxy = await TcpProxy.open(database.source);
    await using saver = PostgresSaver.fromConnString(database.source);
    await saver.setup();
  });
  afterEach(async () => {
    await opened.end();
    await proxy.close();
  });

  const pool = (config: pg.PoolConfig): pg.Pool => opened.track(new pg.Pool(config));
  const SOURCES: { on: string; source: Source }[] = [
    { on: "a pool that the saver opens", source: (connectionString) => ({ connectionString, max: 2 }) },
    { on: "a pool that it is passed", source: (connectionString) => pool({ connectionString, max: 2 }) },
    {
      on: "a passed pool of pipelining clients",
      source: (connectionString) => pool({ connectionString, ...{ pipeline: true } }),
    },
    {
      on: "a passed pool with a client class of its own",
      source: (connectionString) => pool({ connectionString, ...{ Client: NamedClient } }),
    },
    {
      on: "a passed pool of another class, with a hook",
      source: (connectionString) => opened.track(new InspectingPool({ connectionString })),
    },
    {
      on: "the guarded pool of a passed Kysely",
      source: (connectionString) =>
        new Kysely<CheckpointDatabase>({
          dialect: new PostgresDialect({ pool: handlePoolErrors(pool({ connectionString })) }),
        }),
    },
  ];

  describe.each(SOURCES)("on $on", ({ source }) => {
    function openSaver(options?: PostgresSaverOptions): PostgresSaver {
      return opened.saver(source(proxy.url), options);
    }

    it("costs neither the call nor the process", async () => {
      const saver = openSaver();
      proxy.terminateNew(TIMES);
      const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
      expect(proxy.terminated).toBe(TIMES);
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
    });

    it("fails the call where nothing is retried, and the process lives", async () => {
      const saver = openSaver({ retry: false });
      proxy.terminateNew(1);
      await expect(saver.getTuple(threadConfig(newThread()))).rejects.toBeInstanceOf(ConnectionError);
      expect(proxy.terminated).toBe(1);
      expect(await saver.getTuple(threadConfig(newThread()))).toBeUndefined();
    });

    it("costs many calls at once nothing either", async () => {
      const saver = openSaver();
      proxy.terminateNew(8);
      await Promise.all(
        Array.from({ length: 24 }, (_, n) => putValues(saver, threadConfig(newThread()), { n })),
      );
      expect(proxy.terminated).toBe(8);
    });
  });

  it("costs neither a lock nor the process", async () => {
    const saver = opened.saver(proxy.url);
    proxy.terminateNew(TIMES);
    expect(await saver.withThreadLock(newThread(), () => Promise.resolve("held"))).toBe("held");
    expect(proxy.terminated).toBe(TIMES);
  });

  it("costs neither a watch nor the process", async () => {
    const thread = newThread();
    proxy.terminateNew(TIMES);
    const watch = await beginWatch(opened.saver(proxy.url).watch(thread), database, thread);
    expect(proxy.terminated).toBe(TIMES);
    await watch.return(undefined);
  });

  it("costs nothing where it ends the statement before, of somebody else on the same pool", async () => {
    const shared = pool({ connectionString: proxy.url, max: 1 });
    await shared.query("select 1");
    const saver = opened.saver(shared);
    proxy.terminateWhenReady();
    // The connection passes from the first to the saver while the rest of the chunk is still to be read.
    const [, tuple] = await Promise.all([
      shared.query("select 2"),
      saver.getTuple(threadConfig(newThread())),
    ]);
    expect(tuple).toBeUndefined();
    expect(proxy.terminated).toBe(1);
  });

  // Kysely opens a connection of its own for such a request.
  it("ends no process where Kysely connects to cancel a statement", async () => {
    const guarded = handlePoolErrors(pool({ connectionString: proxy.url }));
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool: guarded }) });
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
