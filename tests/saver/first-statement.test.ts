import { beforeAll, expect, it } from "@jest/globals";
import pg from "pg";
import { AbortError, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { lookDistributed } from "../../test-support/distributed-catalog.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import { createServiceRole } from "../../test-support/service-role.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";

describeServer("the first statement on a new connection", (target) => {
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await target.createDatabase();
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
  });

  it("takes one round trip where it reads, and tells what a later write needs", async () => {
    await using recording = recordPool(database.source, { max: 1 });
    const { pool, sent } = recording;
    const saver = new PostgresSaver(pool);
    // Nothing is to be migrated, and nobody asks for Citus again.
    await saver.setup();
    expect(sent).toHaveLength(1);
    const thread = newThread();
    await saver.getTuple(threadConfig(thread));
    expect(sent).toHaveLength(2);
    await putValues(saver, threadConfig(thread), { a: 1 });
    expect(sent).toHaveLength(3);
  });

  onOneServer("it asks where the rows are", it)("is the read itself where nothing was set up", async () => {
    await using recording = recordPool(database.source, { max: 1 });
    const { pool, sent } = recording;
    const saver = new PostgresSaver(pool);
    await saver.getTuple(threadConfig(newThread()));
    await putValues(saver, threadConfig(newThread()), { a: 1 });
    expect(sent).toHaveLength(2);
  });

  onOneServer("it has Citus", it)(
    "is followed by others where the server says that it has Citus",
    async () => {
      const citus = await target.migratedDatabase();
      await lookDistributed(citus);
      await using recording = recordPool(citus.source, { max: 1 });
      const other = new PostgresSaver(recording.pool);
      expect(await other.getTuple(threadConfig(newThread()))).toBeUndefined();
      expect(recording.sent.some(({ text }) => text.includes("pg_dist_partition"))).toBe(true);
    },
  );

  onOneServer("its nodes open connections for the role", it)(
    "reads where the role may not see its own process",
    async () => {
      const role = await createServiceRole(database);
      await database.exec("revoke execute on function pg_stat_get_activity(integer) from public");
      const thread = newThread();
      {
        await using saver = new PostgresSaver({ connectionString: role.url, max: 1 });
        await expect(saver.getTuple(threadConfig(thread))).resolves.toBeUndefined();
        await putValues(saver, threadConfig(thread), { a: 1 });
        expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({ a: 1 });
      }
      await database.exec("grant execute on function pg_stat_get_activity(integer) to public");
      await role.drop();
    },
  );

  it("settles where its signal aborts while it waits for a lock, and so do the calls after it", async () => {
    const thread = newThread();
    await using saver = new PostgresSaver({ connectionString: database.source, max: 1 });
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
  });
});
