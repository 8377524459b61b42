import { afterAll, beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { AbortError, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("the first statement on a new connection", (target) => {
  const role = `untold_${crypto.randomUUID().slice(0, 8)}`;
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await target.createDatabase();
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
  });
  afterAll(() => database.exec(`drop owned by ${role}; drop role ${role}`));

  /** A saver on a new pool of one connection, and what it sends, a text for each round trip. */
  function newSaver(connectionString = database.source) {
    const sent: string[] = [];
    const pool = new pg.Pool({ connectionString, max: 1 });
    pool.on("connect", (client) => {
      const query: (sent: pg.QueryConfig) => unknown = client.query.bind(client);
      Object.assign(client, {
        query: (config: pg.QueryConfig) => {
          sent.push(config.text);
          return query(config);
        },
      });
    });
    const saver = new PostgresSaver(pool);
    const end = (): Promise<void> => saver.end().then(() => pool.end());
    return { saver, sent, end };
  }

  it("takes one round trip where it reads, and tells what a later write needs", async () => {
    const { saver, sent, end } = newSaver();
    // Nothing is to be migrated, and nobody asks for Citus again.
    await saver.setup();
    expect(sent).toHaveLength(1);
    const thread = newThread();
    await saver.getTuple(threadConfig(thread));
    expect(sent).toHaveLength(2);
    await putValues(saver, threadConfig(thread), { a: 1 });
    expect(sent).toHaveLength(3);
    await end();
  });

  onOneServer("its nodes open connections for the role", it)(
    "reads where the role may not see its own process",
    async () => {
      await database.exec(`
      create role ${role} login password 'secret';
      grant usage on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role};
      revoke execute on function pg_stat_get_activity(integer) from public`);
      const asRole = new URL(database.source);
      asRole.username = role;
      asRole.password = "secret";
      const thread = newThread();
      const { saver, end } = newSaver(asRole.href);
      await expect(saver.getTuple(threadConfig(thread))).resolves.toBeUndefined();
      await putValues(saver, threadConfig(thread), { a: 1 });
      expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({ a: 1 });
      await end();
      await database.exec("grant execute on function pg_stat_get_activity(integer) to public");
    },
  );

  it("settles where its signal aborts while it waits for a lock, and so do the calls after it", async () => {
    const thread = newThread();
    const { saver, end } = newSaver();
    const locker = new pg.Client({ connectionString: database.source });
    await locker.connect();
    await locker.query("begin; lock table checkpoints in access exclusive mode");
    const stopping = new AbortController();
    const read = saver.getTuple(threadConfig(thread), { signal: stopping.signal });
    const settled = expect(read).rejects.toBeInstanceOf(AbortError);
    await untilOneWaits(database);
    stopping.abort();
    await settled;
    await locker.end();
    await putValues(saver, threadConfig(thread), { a: 1 });
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({ a: 1 });
    await end();
  });
});
