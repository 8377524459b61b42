import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type Checkpoint, INTERRUPT, TASKS } from "@langchain/langgraph-checkpoint";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  handlePoolErrors,
  PostgresSaver,
  type PostgresSaverOptions,
  ShallowPostgresSaver,
} from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";

const LAYOUTS = { msgpack: new MsgpackSerializer(), json: new JsonSerializer() };
const WAYS: Readonly<Record<string, PostgresSaverOptions>> = {
  "": {},
  " with rules": { keepTombstones: true, concurrency: "optimistic" },
};

describeEachTarget("a shallow saver", (target) => {
  let database: TestDatabase;
  let thread: string;

  beforeAll(async () => {
    database = await target.migratedDatabase();
  });
  beforeEach(() => {
    thread = newThread();
  });

  for (const [layout, serde] of Object.entries(LAYOUTS)) {
    for (const [way, options] of Object.entries(WAYS)) {
      describe(`writing ${layout}${way}`, () => {
        let saver: ShallowPostgresSaver;

        beforeAll(() => {
          saver = new ShallowPostgresSaver(database.source, serde, options);
        });
        afterAll(() => saver.end());

        it("keeps one checkpoint of a namespace with its values and writes, and nothing older", async () => {
          let last = await putValues(saver, threadConfig(thread), { list: [0], same: ["same"] });
          for (let step = 1; step <= 3; step++) {
            await saver.putWrites(last.config, [["list", step]], "task");
            const next = checkpointOf(saver, { list: [step] }, last.checkpoint);
            next.channel_values.same = ["same"];
            const config = await saver.put(last.config, next, metadataOf(step), {
              list: next.channel_versions.list ?? 0,
            });
            last = { config, checkpoint: next };
          }
          await saver.putWrites(last.config, [[INTERRUPT, "?"]], "task");
          expect(await rowsOf(database, thread)).toEqual({ checkpoints: 1, blobs: 2, writes: 1 });
          const tuple = await saver.getTuple(threadConfig(thread));
          expect(tuple?.checkpoint.channel_values).toEqual({ list: [3], same: ["same"] });
          expect(tuple?.pendingWrites).toEqual([["task", INTERRUPT, "?"]]);
          expect(await collect(saver.list(threadConfig(thread)))).toEqual([tuple]);
        });

        it("keeps one checkpoint in each namespace, and does not touch other threads", async () => {
          const other = newThread();
          await putValues(saver, threadConfig(other), { a: ["other"] });
          for (const checkpoint_ns of ["", "child", "child"]) {
            const head = await saver.getTuple(threadConfig(thread, { checkpoint_ns }));
            const config = head?.config ?? threadConfig(thread, { checkpoint_ns });
            await putValues(saver, config, { a: [checkpoint_ns] }, head?.checkpoint);
          }
          expect(await rowsOf(database, thread)).toEqual({ checkpoints: 2, blobs: 2, writes: 0 });
          expect(await rowsOf(database, other)).toEqual({ checkpoints: 1, blobs: 1, writes: 0 });
        });

        it("keeps writes that came before their checkpoint", async () => {
          const first = await putValues(saver, threadConfig(thread), { a: [1] });
          const second = checkpointOf(saver, { a: [2] }, first.checkpoint);
          const third = checkpointOf(saver, { a: [3] }, second);
          const early = threadConfig(thread, { checkpoint_ns: "", checkpoint_id: third.id });
          await saver.putWrites(early, [["a", 3]], "task");
          const config = await saver.put(first.config, second, metadataOf(), allVersions(second));
          await saver.put(config, third, metadataOf(), allVersions(third));
          expect((await saver.getTuple(threadConfig(thread)))?.pendingWrites).toEqual([["task", "a", 3]]);
        });

        it("does so in a batch too", async () => {
          await saver.batch(async (batch) => {
            let config = threadConfig(thread);
            let previous: Checkpoint | undefined;
            for (let step = 0; step < 3; step++) {
              const checkpoint: Checkpoint = checkpointOf(saver, { a: [step] }, previous);
              config = await batch.put(config, checkpoint, metadataOf(step), allVersions(checkpoint));
              previous = checkpoint;
            }
          });
          expect(await rowsOf(database, thread)).toEqual({ checkpoints: 1, blobs: 1, writes: 0 });
          expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({ a: [2] });
        });
      });
    }
  }

  it("continues a thread with a history, and returns only its newest checkpoint", async () => {
    const full = new PostgresSaver(database.source);
    const shallow = new ShallowPostgresSaver(database.source);
    const first = await putValues(full, threadConfig(thread), { a: [1], b: [1] });
    const second = await putValues(full, first.config, { a: [2] }, first.checkpoint);
    expect(await listIds(shallow.list(threadConfig(thread)))).toEqual([second.checkpoint.id]);
    expect(await listIds(shallow.list(threadConfig(thread), { limit: 5, filter: { step: 0 } }))).toEqual([
      second.checkpoint.id,
    ]);
    const third = await putValues(shallow, second.config, { a: [3] }, second.checkpoint);
    expect(await listIds(full.list(threadConfig(thread)))).toEqual([third.checkpoint.id]);
    expect((await full.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({
      a: [3],
      b: [1],
    });
    await full.end();
    await shallow.end();
  });

  it("keeps the sends of a checkpoint of an old format, which are writes of its parent", async () => {
    const saver = new ShallowPostgresSaver(database.source);
    const first = await putValues(saver, threadConfig(thread), { a: [1] });
    await saver.putWrites(
      first.config,
      [
        [TASKS, "send"],
        ["a", 2],
      ],
      "task",
    );
    const old = { ...checkpointOf(saver, { a: [2] }, first.checkpoint), v: 3 };
    await saver.put(first.config, old, metadataOf(), allVersions(old));
    const tuple = await saver.getTuple(threadConfig(thread));
    expect(tuple?.checkpoint.channel_values).toEqual({ a: [2], [TASKS]: ["send"] });
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 1, blobs: 1, writes: 1 });
    await saver.end();
  });

  it("finds no older checkpoint, and refuses to roll back to one", async () => {
    const saver = new ShallowPostgresSaver(database.source);
    const first = await putValues(saver, threadConfig(thread), { a: [1] });
    await putValues(saver, first.config, { a: [2] }, first.checkpoint);
    expect(await saver.getTuple(first.config)).toBeUndefined();
    await expect(saver.rollback(thread, first.checkpoint.id)).rejects.toMatchObject({ threadId: thread });
    await saver.end();
  });
});

describeServer("shallow savers of one thread at the same time", (target) => {
  it("leave one complete checkpoint, in any order of commits", async () => {
    const { source } = await target.migratedDatabase();
    const saver = new ShallowPostgresSaver({ connectionString: source, max: 8 }, undefined, { retry: false });
    const full = new PostgresSaver({ connectionString: source, max: 8 }, undefined, { retry: false });
    for (let round = 0; round < 20; round++) {
      const thread = newThread();
      const base = await putValues(saver, threadConfig(thread), { a: [0], b: ["b"], c: ["c"] });
      const puts = Array.from({ length: 8 }, async (_, nth) => {
        const next = checkpointOf(saver, { a: [nth] }, base.checkpoint);
        next.channel_values = { ...base.checkpoint.channel_values, ...next.channel_values };
        // One of them keeps the history, and continues from the same checkpoint.
        const by = nth === 3 ? full : saver;
        await by.put(base.config, next, metadataOf(), { a: next.channel_versions.a ?? 0 });
        return next;
      });
      const stored = await Promise.all(puts);
      for await (const { checkpoint } of full.list(threadConfig(thread))) {
        const put = stored.find(({ id }) => id === checkpoint.id);
        expect(checkpoint.channel_values).toEqual(put?.channel_values);
      }
      const head = await saver.getTuple(threadConfig(thread));
      await putValues(saver, head?.config ?? {}, { a: ["last"] }, head?.checkpoint);
      expect(await listIds(full.list(threadConfig(thread)))).toHaveLength(1);
    }
    await saver.end();
    await full.end();
  });

  it("wait for a put that continues from the checkpoint that they delete, and keep the values that it references (C3)", async () => {
    const database = await target.migratedDatabase();
    const pool = handlePoolErrors(new pg.Pool({ connectionString: database.source }));
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = new ShallowPostgresSaver(pool);
    const thread = newThread();
    const base = await putValues(saver, threadConfig(thread), { a: [0], b: ["old"] });
    const ours = checkpointOf(saver, { a: [1], b: ["new"] }, base.checkpoint);
    const other = checkpointOf(saver, { a: [2] }, base.checkpoint);
    other.channel_values.b = ["old"];
    const { stored } = await db.transaction().execute(async (transaction) => {
      const full = new PostgresSaver(transaction);
      await full.put(base.config, other, metadataOf(), { a: other.channel_versions.a ?? 0 });
      const storing = saver.put(base.config, ours, metadataOf(), allVersions(ours));
      await untilOneWaits(database);
      return { stored: storing };
    });
    await stored;
    const head = await saver.getTuple(threadConfig(thread));
    expect(head?.checkpoint.channel_values).toEqual({ a: [2], b: ["old"] });
    expect(await listIds(new PostgresSaver(pool).list(threadConfig(thread)))).toEqual([other.id]);
    await db.destroy();
  });

  it.each(["a Kysely", "a transaction"])("take every lock on %s (C7)", async (source) => {
    const database = await target.createDatabase();
    const pool = handlePoolErrors(new pg.Pool({ connectionString: database.source }));
    await new ShallowPostgresSaver(pool).setup();
    const sent: string[] = [];
    const db = new Kysely<CheckpointDatabase>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => {
        sent.push(query.sql);
      },
    });
    const put = (on: typeof db) =>
      putValues(new ShallowPostgresSaver(on), threadConfig(newThread()), { a: [0] });
    await (source === "a Kysely" ? put(db) : db.transaction().execute(put));
    const store = sent.findIndex((text) => text.includes("insert into"));
    const locks = sent.slice(0, store).filter((text) => /advisory|for (no key )?update/.test(text));
    expect(locks).toHaveLength(2);
    await db.destroy();
  });
});
