import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { metadataOf, nextId, threadConfig } from "../../test-support/checkpoints.js";
import { lookDistributed } from "../../test-support/distributed-catalog.js";
import { incompressibleText as text, SPLICING_SERIALIZERS } from "../../test-support/spliced-values.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const THREADS = ["a", "b", "c"];

/** More threads than have statements of their own at the same time, so that the others share one. */
const MANY_THREADS = Array.from({ length: 20 }, (_, n) => `thread ${n}`);

/** A writer whose application counts versions: 1, 2. After a deletion, another thread has the same ones. */
class Writer {
  readonly saver: PostgresSaver;
  readonly lists: ReadonlyMap<string, string[]>;
  readonly #threads: readonly string[];
  #configs: RunnableConfig[];
  #version = 0;

  constructor(saver: PostgresSaver, threads = THREADS) {
    this.saver = saver;
    this.lists = new Map(threads.map((thread) => [thread, [text(6_000)]]));
    this.#threads = threads;
    this.#configs = threads.map((thread) => threadConfig(thread));
  }

  /** Appends to the list of each thread, and stores all at the same time. */
  async put(): Promise<void> {
    const version = ++this.#version;
    this.#configs = await Promise.all(
      this.#configs.map((config, at) => {
        const list = this.lists.get(this.#threads[at] ?? "") ?? [];
        list.push(text(400));
        const checkpoint = {
          ...{ v: 4, id: nextId(), ts: new Date().toISOString(), versions_seen: {} },
          channel_values: { list: [...list] },
          channel_versions: { list: version },
        };
        return this.saver.put(config, checkpoint, metadataOf(), checkpoint.channel_versions);
      }),
    );
  }

  /** Expects that the newest checkpoint of each thread reads back equal. */
  async expectRead(saver: PostgresSaver): Promise<void> {
    for (const config of this.#configs) {
      const tuple = await saver.getTuple(config);
      const thread = String(config.configurable?.thread_id);
      expect(tuple?.checkpoint.channel_values.list).toEqual(this.lists.get(thread));
    }
  }
}

interface Variant {
  readonly name: string;
  readonly threads?: string[];
  readonly options?: PostgresSaverOptions;
  readonly serde?: SerializerProtocol;
}

const VARIANTS: readonly Variant[] = [
  { name: "in statements of groups", threads: MANY_THREADS },
  { name: "in statements of their own", options: { grouping: false } },
  { name: "in statements that are not prepared", options: { prepare: false } },
  ...SPLICING_SERIALIZERS.slice(1).map(([name, serde]) => ({ name: `with ${name}`, serde })),
];

describeEachTarget("a splice of a value whose thread was deleted and begun anew", (target) => {
  let database: TestDatabase;
  const open: PostgresSaver[] = [];

  const newSaver = (options: PostgresSaverOptions, serde?: SerializerProtocol): PostgresSaver => {
    const saver = new PostgresSaver(database.source, serde, options);
    open.push(saver);
    return saver;
  };

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((saver) => saver.end()));
  });

  it.each(VARIANTS)(
    "is stored whole, and both writers read what they put: $name",
    async ({ options, serde, threads = THREADS }) => {
      const [first, second] = [1, 2].map(
        () => new Writer(newSaver({ splices: true, ...options }, serde), threads),
      );
      if (first === undefined || second === undefined) throw new Error("no writers");
      for (let step = 0; step < 4; step++) await first.put();
      for (const thread of threads) await second.saver.deleteThread(thread);
      // The base of the first writer's next splice, number 4 of its chain, has number 0. That of the one after has number 4.
      for (let step = 0; step < 4; step++) await second.put();
      const reader = newSaver({}, serde);
      await first.put();
      await first.expectRead(reader);
      await second.expectRead(reader);
      for (let step = 0; step < 3; step++) await first.put();
      await first.expectRead(reader);
      expect((await reader.verify()).problems.filter(({ severity }) => severity === "error")).toEqual([]);
      const [splices] = await database.query<{ count: number }>(
        "select count(*)::int from checkpoint_blobs where base is not null and version > '5'",
      );
      // After the whole value, and one for which nothing was remembered, the first writer goes on with splices.
      expect(splices?.count).toBeGreaterThanOrEqual(threads.length);
    },
  );
});

describeServer("such a splice where tables are distributed", (target) => {
  it("is stored whole", async () => {
    const database = await target.createDatabase();
    await using setup = new PostgresSaver(database.source);
    await setup.setup();
    await lookDistributed(database);
    await using saver = new PostgresSaver(database.source, undefined, { splices: true });
    await using other = new PostgresSaver(database.source, undefined, { splices: true });
    const [first, second] = [new Writer(saver), new Writer(other)];
    for (let step = 0; step < 2; step++) await first.put();
    for (const thread of THREADS) await other.deleteThread(thread);
    for (let step = 0; step < 2; step++) await second.put();
    await first.put();
    await first.expectRead(setup);
    await second.expectRead(setup);
  });
});
