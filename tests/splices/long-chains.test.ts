import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { MAX_BASES, MAX_CHAIN } from "../../src/splices/value-chain.js";
import { chainLengths, putLongChain } from "../../test-support/chains.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

describeAnyTarget("a chain that is longer than savers make them", (target) => {
  const items = [text(6_000), ...Array.from({ length: 80 }, (_, index) => `item ${index} ${text(24)}`)];
  let database: TestDatabase;
  let configs: RunnableConfig[];
  const open: PostgresSaver[] = [];

  const newSaver = (options: PostgresSaverOptions = {}): PostgresSaver => {
    const saver = new PostgresSaver(database.source, undefined, options);
    open.push(saver);
    return saver;
  };

  beforeEach(async () => {
    database = await target.sharedDatabase();
    configs = await putLongChain(database, "long", items);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((saver) => saver.end()));
  });

  const longest = async (thread: string) => Math.max(...(await chainLengths(database, thread)));

  /** Expects that each checkpoint of a thread has its items. */
  async function expectItems(saver: PostgresSaver, thread: string): Promise<void> {
    const tuples = await collect(saver.list(threadConfig(thread)));
    expect(tuples.map(({ checkpoint }) => checkpoint.channel_values.list)).toEqual(
      configs.map((_, at) => items.slice(0, configs.length - at)),
    );
  }

  it("is read as any other, and continued by a whole value", async () => {
    expect(await longest("long")).toBe(items.length - 1);
    const [head = threadConfig("long")] = configs.slice(-1);
    for (const saver of [newSaver({ splices: true }), newSaver()]) {
      const tuple = await saver.getTuple(head);
      expect(tuple?.checkpoint.channel_values.list).toEqual(items);
      await expectItems(saver, "long");
      expect(await saver.getChannelValues({ threadIds: ["long"], channel: "list" })).toEqual(
        new Map([["long", items]]),
      );
    }
    const writer = newSaver({ splices: true });
    const read = await writer.getTuple(head);
    const next = await putValues(writer, head, { list: [...items, "next"] }, read?.checkpoint);
    expect((await newSaver().getTuple(next.config))?.checkpoint.channel_values.list).toHaveLength(
      items.length + 1,
    );
    expect((await chainLengths(database, "long")).filter((length) => length === 0)).toHaveLength(2);
  });

  it("is named by verify as what it is, and compact makes it short", async () => {
    const saver = newSaver();
    const { problems } = await saver.verify("long");
    expect(problems).toHaveLength(items.length - 1 - MAX_CHAIN);
    expect(problems[0]).toMatchObject({
      ...{ kind: "long-chain", severity: "notice", threadId: "long", channel: "list" },
      message: expect.stringContaining("compact makes the chain shorter"),
    });
    const planned = await saver.compact({ dryRun: true });
    const report = await saver.compact();
    expect(report).toMatchObject({ threads: 1, missing: [] });
    expect(planned.values).toBeGreaterThan(0);
    expect(await longest("long")).toBeLessThanOrEqual(MAX_BASES);
    expect((await chainLengths(database, "long")).filter((length) => length === 0).length).toBeLessThan(
      items.length / MAX_BASES + 1,
    );
    await expectItems(saver, "long");
    expect((await saver.verify()).problems).toEqual([]);
    expect(await saver.compact()).toMatchObject({ threads: 0, values: 0 });
  });

  it("is copied, encoded again, exported, imported, pruned and expanded", async () => {
    const saver = newSaver();
    await saver.copyThread("long", "copy");
    await saver.copyThread("long", "encoded", { reencode: true });
    const backup = await collect(saver.exportThreads({ threads: ["long"] }));
    await saver.deleteThread("long");
    await saver.importThreads(backup);
    for (const thread of ["long", "copy", "encoded"]) await expectItems(saver, thread);
    expect(await longest("long")).toBe(items.length - 1);
    await saver.prune({ keepLast: 1, threads: ["copy"] });
    await saver.expand({ threads: ["long"] });
    for (const thread of ["long", "encoded"]) expect(await longest(thread)).toBe(0);
    await expectItems(saver, "long");
    expect((await saver.getTuple(threadConfig("copy")))?.checkpoint.channel_values.list).toEqual(items);
    await saver.compact({ threads: ["copy"] });
    expect(await longest("copy")).toBeLessThanOrEqual(MAX_BASES);
    expect((await saver.getTuple(threadConfig("copy")))?.checkpoint.channel_values.list).toEqual(items);
  });
});
