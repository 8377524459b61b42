import { createRequire } from "node:module";
import { afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore, createCheckpoint } from "../../src/checkpoint-store/index.js";
import { openDatabase } from "../../src/db/index.js";
import { migrateToLatest } from "../../src/migrations/index.js";
import type { ClientLike } from "../../src/db/pool/client-like.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

/** How an application gets a single connection, and gives it back. */
const KINDS: Readonly<
  Record<string, (url: string) => Promise<{ client: pg.ClientBase; end: () => Promise<void> }>>
> = {
  "a pg.Client": async (connectionString) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    return { client, end: () => client.end() };
  },
  "a client of a pool": async (connectionString) => {
    const pool = new pg.Pool({ connectionString });
    const client = await pool.connect();
    return {
      client,
      end: async () => {
        client.release();
        await pool.end();
      },
    };
  },
  "a client of another copy of pg": async (connectionString) => {
    const client = ofAnotherCopy(connectionString);
    await client.connect();
    return { client, end: () => client.end() };
  },
};

describeServer("a single connection as the source", (target) => {
  let database: TestDatabase<string>;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely, { with: ["store", "cache", "checkpoint-store"] });
    await close();
  });

  const saverOn = (client: pg.ClientBase): PostgresSaver => new PostgresSaver(client);

  it.each(Object.entries(KINDS))(
    "%s serves everything at once, one call after another",
    async (_name, open) => {
      const { client, end } = await open(database.source);
      const source: ClientLike = client;
      const [saver, other] = [saverOn(client), saverOn(client)];
      const [store, cache, runs] = [
        new PostgresStore(source),
        new PostgresCache(source),
        new PostgresCheckpointStore(source),
      ];
      const thread = newThread();
      const threads = Array.from({ length: 10 }, () => newThread());
      await Promise.all([
        ...threads.map((id, n) => putValues(n % 2 === 0 ? saver : other, threadConfig(id), { n })),
        ...threads.map((id) => store.put(["a"], id, { id })),
        ...threads.map((id) => cache.set([{ key: [["a"], id], value: id }])),
        runs.save(createCheckpoint({ executionId: thread, nodeName: "a", state: {} })),
        saver.batch(async (batch) => {
          await batch.putWrites(threadConfig(thread, { checkpoint_id: "1" }), [["a", 1]], "task");
          await batch.deleteThread("none");
        }),
      ]);
      const read = await Promise.all(threads.map((id) => saver.getTuple(threadConfig(id))));
      expect(read.map((tuple) => tuple?.checkpoint.channel_values)).toEqual(threads.map((_, n) => ({ n })));
      expect(await store.search(["a"], { limit: 100 })).toHaveLength(10);
      expect(await cache.get([[["a"], threads[0] ?? ""]])).toHaveLength(1);
      expect(await runs.list(thread)).toHaveLength(1);
      expect((await saver.health()).pool).toEqual({ total: 1, idle: 1, waiting: 0 });
      await Promise.all([saver.end(), other.end(), store.end(), cache.end(), runs.end()]);
      // It stays open, and the application's.
      expect((await client.query<{ one: number }>("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await end();
      await database.exec("truncate store, cache_entries");
    },
  );

  let client: pg.Client;
  let saver: PostgresSaver;
  beforeEach(async () => {
    client = new pg.Client({ connectionString: database.source });
    await client.connect();
    saver = saverOn(client);
  });
  afterEach(async () => {
    await saver.end();
    await client.end();
  });

  it("opens connections of its own for thread locks and watches", async () => {
    const thread = newThread();
    await saver.withThreadLock(thread, async () => {
      const watched = new PostgresSaver(client, undefined, { notify: true });
      const watch = watched.watch(thread);
      const first = watch.next();
      const { checkpoint } = await putValues(watched, threadConfig(thread), { a: 1 });
      expect((await first).value?.checkpoint.id).toBe(checkpoint.id);
      await watch.return(undefined);
      await watched.end();
    });
  });

  it.each([
    ["an abort", {}, "ABORTED"],
    ["a timeout", { statementTimeoutMs: 100 }, "STATEMENT_TIMEOUT"],
  ] as const)("goes on with the same session after %s has cancelled a call", async (_name, limits, code) => {
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread), { a: 1 });
    const bounded = new PostgresSaver(client, undefined, { retry: false, ...limits });
    await client.query("set application_name = 'of the application'");
    const session = "select pg_backend_pid() as pid, current_setting('application_name') as name";
    const before = (await client.query(session)).rows;
    const holder = new pg.Client({ connectionString: database.source });
    await holder.connect();
    await holder.query("begin; lock table checkpoint_writes");
    for (let round = 0; round < 3; round++) {
      const stop = new AbortController();
      const call = bounded.putWrites(config, [["a", 1]], "task", "", { signal: stop.signal });
      const refused = expect(call).rejects.toMatchObject({ code });
      if (code === "ABORTED") {
        await untilOneWaits(database);
        stop.abort();
      }
      await refused;
      expect(await bounded.listThreads({ limit: 1 })).toHaveLength(1);
    }
    await holder.query("rollback");
    await holder.end();
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([]);
    expect((await client.query(session)).rows).toEqual(before);
  });

  it("is refused while it is not connected, in a transaction of the application, or ended", async () => {
    const read = () => saver.getTuple(threadConfig("1"));
    await client.query("begin");
    await expect(read()).rejects.toMatchObject({
      field: "source",
      message: expect.stringContaining("in a transaction of yours"),
    });
    expect((await client.query("commit")).command).toBe("COMMIT");
    expect(await read()).toBeUndefined();
    const unconnected = saverOn(new pg.Client({ connectionString: database.source }));
    await expect(unconnected.getTuple(threadConfig("1"))).rejects.toMatchObject({
      field: "source",
      message: expect.stringContaining("is not connected"),
    });
    const ended = new pg.Client({ connectionString: database.source });
    await ended.connect();
    const onEnded = saverOn(ended);
    await ended.end();
    await expect(onEnded.getTuple(threadConfig("1"))).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
  });

  it("rejects every call that runs or waits when its connection is lost, and each later one", async () => {
    const lost = new pg.Client({ connectionString: database.source });
    await lost.connect();
    const onLost = saverOn(lost);
    const [{ pid } = { pid: 0 }] = (await lost.query<{ pid: number }>("select pg_backend_pid() as pid")).rows;
    await onLost.getTuple(threadConfig("1"));
    const calls = Array.from({ length: 5 }, (_, n) =>
      onLost.putWrites(threadConfig("1", { checkpoint_id: "1" }), [["a", n]], "t"),
    );
    const settled = Promise.allSettled(calls);
    await database.query("select pg_terminate_backend($1)", [pid]);
    await settled;
    await expect(onLost.getTuple(threadConfig("1"))).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      message: expect.stringContaining("pass a new one, or a pg.Pool"),
    });
  });
});

/** A client whose class is not the one that this library imports. */
function ofAnotherCopy(connectionString: string): pg.Client {
  const load = createRequire(import.meta.url);
  const path = load.resolve("pg/lib/client");
  const loaded = load.cache[path];
  Reflect.deleteProperty(load.cache, path);
  const Client = load(path) as typeof pg.Client;
  load.cache[path] = loaded;
  const client = new Client({ connectionString });
  expect(client).not.toBeInstanceOf(pg.Client);
  return client;
}
