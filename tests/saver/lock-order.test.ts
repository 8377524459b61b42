import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { metadataOf, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { listCheckpoint, type Putter, putFrom } from "../../test-support/put-from.js";
import { countWaiting, untilItWaits } from "../../test-support/held-locks.js";
import { recordStatements } from "../../test-support/recorded-statements.js";
import { describeServer } from "../../test-support/targets.js";

const RULES = { retry: false } as const;

describeServer("lock order", (target) => {
  const deletions: Record<string, (source: string) => Promise<unknown>> = {
    deleteThread: (source) => new PostgresSaver(source, undefined, RULES).deleteThread("t"),
    prune: (source) => new PostgresSaver(source, undefined, RULES).prune(["t"]),
    "a put that keeps only the newest checkpoint": (source) =>
      putValues(new ShallowPostgresSaver(source, undefined, RULES), threadConfig("t"), { a: "new" }),
  };
  for (const [name, deletion] of Object.entries(deletions)) {
    it(`of pending writes is that of their key in ${name}, wherever their rows are (C2)`, async () => {
      const database = await target.sharedDatabase();
      await using saver = new PostgresSaver(database.source, undefined, RULES);
      const root = await putValues(saver, threadConfig("t"), { a: "root" });
      for (const task of ["b", "a"]) await saver.putWrites(root.config, [["a", task]], task);
      await putValues(saver, root.config, { a: "head" }, root.checkpoint);
      // Then Postgres knows that the tables are small, and reads them row by row rather than by the index.
      await database.query("analyze");

      const pool = new pg.Pool({ connectionString: database.source });
      const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
      let deleting: Promise<unknown> = Promise.resolve();
      await kysely.transaction().execute(async (transaction) => {
        const lock = (task: string) =>
          transaction
            .selectFrom("checkpoint_writes")
            .select("idx")
            .where("thread_id", "=", "t")
            .where("task_id", "=", task)
            .forUpdate();
        await lock("a").execute();
        deleting = deletion(database.source);
        await untilItWaits(database, deleting);
        // Not locked, so a transaction that locks them in the same order never waits for one that waits for it.
        expect(await lock("b").noWait().execute()).toHaveLength(1);
      });
      await deleting;
      await kysely.destroy();
    });
  }

  it("of the parents of a batch is that of their keys, wherever their rows are (C2)", async () => {
    const database = await target.sharedDatabase();
    // By a nested loop, rows are found in the order in which the statement names them.
    const options = "-c enable_hashjoin=off -c enable_mergejoin=off";
    await using saver = new PostgresSaver({ connectionString: database.source, options }, undefined, RULES);
    // Byte by byte. In the order of the namespaces alone, or in another collation, the order is another one.
    const namespaces = [
      ["B", "y"],
      ["B", "z"],
      ["a", "x"],
    ] as const;
    const parents: { key: readonly [string, string, string]; put: (to: Putter) => Promise<unknown> }[] = [];
    // Ids alone have another order too.
    for (const [thread, checkpoint_ns] of namespaces.toReversed()) {
      const inNamespace: typeof parents = [];
      for (const kept of [["older"], ["newer"]]) {
        const start = threadConfig(thread, { checkpoint_ns });
        const { config, checkpoint } = await putValues(saver, start, { kept });
        // It has an unchanged value, and so requires its parent.
        const next = { ...checkpoint, id: nextId() };
        inNamespace.push({
          key: [thread, checkpoint_ns, checkpoint.id],
          put: (to) => to.put(config, next, metadataOf(), {}),
        });
      }
      parents.unshift(...inNamespace);
    }
    let storing: Promise<unknown> = Promise.resolve();
    const lockers = database.kysely<CheckpointDatabase>();
    await lockers.transaction().execute(async (transaction) => {
      const lock = async ([thread, ns, id]: readonly [string, string, string]) =>
        transaction
          .selectFrom("checkpoints")
          .select("checkpoint_id")
          .where("thread_id", "=", thread)
          .where("checkpoint_ns", "=", ns)
          .where("checkpoint_id", "=", id)
          .forUpdate()
          .noWait()
          .execute();
      const [first, ...others] = parents.map(({ key }) => key);
      if (first !== undefined) await lock(first);
      storing = saver.batch(async (batch) => {
        for (const { put } of parents.toReversed()) await put(batch);
      });
      storing.catch(() => undefined);
      await untilItWaits(database, storing);
      expect(await countWaiting(database)).toBe(1);
      // Not locked, so a transaction that locks them in the same order never waits for one that waits for it.
      for (const each of others) expect(await lock(each)).toHaveLength(1);
    });
    await storing;
  });

  it("of deletions that share a transaction begins with their threads (C2)", async () => {
    const database = await target.sharedDatabase();
    await using recording = recordStatements(database.source);
    const saver = new PostgresSaver(recording.kysely, undefined, RULES);
    await Promise.all(Array.from({ length: 30 }, (_, nth) => saver.deleteThread(`deleted ${nth}`)));
    const texts = recording.sent.map(({ text }) => text);
    const locks = texts.filter((text) => text.includes("pg_advisory_xact_lock"));
    // The first ones are sent alone, each in a transaction without such a lock.
    expect(locks.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.startsWith("begin")).length).toBeGreaterThan(locks.length);
  });

  it("of batches is that of their threads, where one deletes what another writes (C2)", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, RULES);
    // The batches of one saver would wait for each other in the process.
    await using other = new PostgresSaver(database.source, undefined, RULES);
    const { config: a } = await putValues(saver, threadConfig("a"), { a: "root" });
    const { config: x } = await putValues(saver, threadConfig("x"), { a: "root" });
    await saver.putWrites(x, [["a", "x"]], "task");
    const blocker = new pg.Client({ connectionString: database.source });
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query(
      `insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, blob)
         select thread_id, checkpoint_ns, checkpoint_id, 'task', 0, 'a', '' from checkpoints where thread_id = 'a'`,
    );
    const shared = listCheckpoint();
    // It has stored its checkpoint of "y" when it waits for the first of its writes.
    const writing = saver.batch(async (batch) => {
      await putFrom(batch, "input", threadConfig("y"), shared);
      for (const config of [a, x]) await batch.putWrites(config, [["a", "again"]], "task");
    });
    await untilItWaits(database, writing);
    const deleting = other.batch(async (batch) => {
      await batch.deleteThread("x");
      await putFrom(batch, "input", threadConfig("y"), shared);
    });
    await untilItWaits(database, deleting, 2);
    await blocker.query("rollback");
    await blocker.end();
    await expect(Promise.all([writing, deleting])).resolves.toBeDefined();
    expect(await saver.getTuple(threadConfig("x"))).toBeUndefined();
  });
});
