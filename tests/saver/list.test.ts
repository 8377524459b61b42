import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Checkpoint, CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

/** More than one page of each size, and a multiple of none. */
const LONG = 301;

describeEachTarget("list", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  const thread = newThread();
  const stored: Checkpoint[] = [];

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    let config: RunnableConfig = threadConfig(thread);
    for (let step = 0; step < LONG; step++) {
      // One value that all checkpoints share, and one that changes at every step.
      const previous = stored.at(-1);
      const checkpoint = checkpointOf(
        saver,
        { step: [step], ...(previous ? {} : { shared: ["same"] }) },
        previous,
      );
      const newVersions = allVersions(checkpoint);
      checkpoint.channel_values.shared = ["same"];
      config = await saver.put(
        config,
        checkpoint,
        metadataOf(step, { even: step % 2 === 0, nested: { a: 1, b: [step] } }),
        newVersions,
      );
      stored.push(checkpoint);
    }
  }, 120_000);
  afterAll(() => saver.end());

  it("yields all checkpoints of a long thread, newest first, each once and with its own values", async () => {
    const tuples = await collect(saver.list(threadConfig(thread)));
    expect(tuples.map(({ checkpoint }) => checkpoint)).toEqual([...stored].reverse());
  });

  it("yields what getTuple returns", async () => {
    await saver.putWrites(threadConfig(thread, { checkpoint_id: stored[3]?.id }), [["a", 1]], "task");
    for (const index of [0, 3, LONG - 1]) {
      const config = threadConfig(thread, { checkpoint_id: stored[index]?.id });
      expect(await collect(saver.list(config))).toEqual([await saver.getTuple(config)]);
    }
  });

  it("stops at the limit, within the first page and beyond it, and at nothing for 0", async () => {
    const newest = [...stored].reverse().map(({ id }) => id);
    for (const limit of [0, 1, 8, 9, 200, LONG, LONG + 1]) {
      expect(await listIds(saver.list(threadConfig(thread), { limit }))).toEqual(newest.slice(0, limit));
    }
  });

  it("starts strictly before the given checkpoint", async () => {
    const before = threadConfig("another", { checkpoint_id: stored[10]?.id });
    const ids = stored
      .slice(0, 10)
      .reverse()
      .map(({ id }) => id);
    expect(await listIds(saver.list(threadConfig(thread), { before }))).toEqual(ids);
    expect(await listIds(saver.list(threadConfig(thread), { before, limit: 1 }))).toEqual(ids.slice(0, 1));
    expect(
      await listIds(saver.list(threadConfig(thread), { before: threadConfig("x"), limit: 1 })),
    ).toHaveLength(1);
  });

  it("applies the limit after the filter, which matches nested metadata", async () => {
    const list = (filter: Record<string, unknown>, limit?: number) =>
      listIds(saver.list(threadConfig(thread), limit === undefined ? { filter } : { filter, limit }));
    expect(await list({ even: true })).toHaveLength(151);
    expect(await list({ even: true }, 20)).toHaveLength(20);
    expect(await list({ nested: { b: [7] } })).toEqual([stored[7]?.id]);
    expect(await list({ step: 7, even: true })).toEqual([]);
    expect(await list({})).toHaveLength(LONG);
  });

  it("lists all threads and namespaces in the order of ids when the config names none", async () => {
    const other = newThread();
    const twin = checkpointOf(saver, {});
    for (const checkpoint_ns of ["", "child", "child|grandchild"]) {
      await saver.put(threadConfig(other, { checkpoint_ns }), twin, metadataOf(0, { mark: other }), {});
    }
    await saver.put(threadConfig(`${other} too`), twin, metadataOf(0, { mark: other }), {});
    const listed = await collect(saver.list({}, { filter: { mark: other } }));
    expect(listed.map(({ config }) => config.configurable)).toEqual([
      { thread_id: `${other} too`, checkpoint_ns: "", checkpoint_id: twin.id },
      { thread_id: other, checkpoint_ns: "child|grandchild", checkpoint_id: twin.id },
      { thread_id: other, checkpoint_ns: "child", checkpoint_id: twin.id },
      { thread_id: other, checkpoint_ns: "", checkpoint_id: twin.id },
    ]);
    expect(await listIds(saver.list(threadConfig(other, { checkpoint_ns: "" })))).toEqual([twin.id]);
    expect(await listIds(saver.list(threadConfig(other)))).toHaveLength(3);
  });

  it.each([3, 40])("merges %d namespaces of a thread in the order of ids", async (count) => {
    const id = newThread();
    const twice = Array.from({ length: 2 * count }, (_, step) => `child ${step % count}`);
    const keys = twice.map((checkpoint_ns) => ({ checkpoint_ns, checkpoint: checkpointOf(saver, {}) }));
    await Promise.all(
      keys.map(({ checkpoint_ns, checkpoint }, step) =>
        saver.put(
          threadConfig(id, { checkpoint_ns }),
          checkpoint,
          metadataOf(step, { even: step % 2 === 0 }),
          {},
        ),
      ),
    );
    const list = (options: CheckpointListOptions) => collect(saver.list(threadConfig(id), options));
    const expected = keys
      .map(({ checkpoint_ns, checkpoint }) => ({
        thread_id: id,
        checkpoint_ns,
        checkpoint_id: checkpoint.id,
      }))
      .reverse();
    const configs = async (options: CheckpointListOptions) =>
      (await list(options)).map(({ config }) => config.configurable);
    expect(await configs({})).toEqual(expected);
    expect(await configs({ limit: 4 })).toEqual(expected.slice(0, 4));
    const before = threadConfig(id, { checkpoint_id: expected[2]?.checkpoint_id });
    expect(await configs({ before })).toEqual(expected.slice(3));
    expect(await configs({ filter: { even: true } })).toEqual(expected.filter((_, n) => n % 2 === 1));
  });

  it("reads on after the keys that it has read at once, of a thread and of all threads", async () => {
    const id = newThread();
    await database.query(
      `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
       select $1, id, jsonb_build_object('v', 4, 'id', id, 'ts', now(), 'channel_versions', '{}'::jsonb, 'versions_seen', '{}'::jsonb),
         jsonb_build_object('many', $1::text)
       from generate_series(1, 1200) as n, lpad(n::text, 6, '0') as id`,
      [id],
    );
    const expected = Array.from({ length: 1_200 }, (_, n) => String(1_200 - n).padStart(6, "0"));
    const options = { filter: { many: id }, channels: [], writes: false };
    expect(await listIds(saver.list(threadConfig(id), options))).toEqual(expected);
    expect(await listIds(saver.list({}, options))).toEqual(expected);
  });

  it("never widens an empty or undefined scope or filter", async () => {
    const refused: [unknown, unknown, string][] = [
      [{ configurable: { thread_id: "" } }, {}, "config.configurable.thread_id"],
      [{ configurable: { thread_id: null } }, {}, "config.configurable.thread_id"],
      [{}, { filter: { tenant: undefined } }, "options.filter.tenant"],
      [{}, { filter: { a: { b: undefined } } }, "options.filter.a.b"],
      [{}, { limit: NaN }, "options.limit"],
      [{}, { limit: -1 }, "options.limit"],
    ];
    for (const [config, options, field] of refused) {
      const error = await collect(saver.list(config as RunnableConfig, options as object)).catch(
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(InvalidConfigError);
      expect(error).toMatchObject({ field });
    }
  });

  it("yields nothing for a thread that does not exist", async () => {
    expect(await listIds(saver.list(threadConfig(newThread())))).toEqual([]);
  });
});
