import type { RunnableConfig } from "@langchain/core/runnables";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  MemorySaver,
} from "@langchain/langgraph-checkpoint";
import type { DatabaseSource } from "../../src/db/opened-database.js";
import { PostgresSaver, type PostgresSaverOptions, ShallowPostgresSaver } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { checkpointOf, metadataOf, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

/** Passes on three arguments of `put`, as a wrapper does that was written for MemorySaver. */
function passesOnThree<Saver extends BaseCheckpointSaver>(saver: Saver): Saver {
  const put = saver.put.bind(saver) as (...given: unknown[]) => Promise<RunnableConfig>;
  return Object.assign(saver, {
    put: (config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) =>
      put(config, checkpoint, metadata),
  });
}

const idOf = (config: RunnableConfig): string => String(config.configurable?.thread_id);

const SAVERS: [
  name: string,
  open: (source: DatabaseSource, options?: PostgresSaverOptions) => PostgresSaver,
][] = [
  ["a default saver", (source) => new PostgresSaver(source)],
  ["a saver with splices", (source) => new PostgresSaver(source, undefined, { splices: true })],
  ["a saver of JSON", (source) => new PostgresSaver(source, new JsonSerializer())],
  ["a shallow saver", (source) => new ShallowPostgresSaver(source)],
];

describeAnyTarget("put without newVersions", (target) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.migratedDatabase();
  });

  describe.each(SAVERS)("of %s", (_, open) => {
    let saver: PostgresSaver;
    beforeAll(() => {
      saver = open(database.source);
    });
    afterAll(() => saver.end());

    it("stores the values that have no row, and leaves those that have one", async () => {
      const long = Array.from({ length: 1_000 }, (_, n) => ({ n }));
      const first = checkpointOf(saver, { changed: { n: 1 }, kept: long, scalar: 7 });
      const thread = threadConfig(newThread());
      const config = await saver.put(thread, first, metadataOf(), undefined);
      expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual(first.channel_values);

      const next = checkpointOf(saver, { changed: { n: 2 } }, first);
      next.channel_values = { ...first.channel_values, ...next.channel_values };
      await saver.put(config, next, metadataOf(), undefined);
      expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual({
        ...{ changed: { n: 2 }, kept: long, scalar: 7 },
      });
      const { problems } = await saver.verify(idOf(thread));
      // A shallow saver has deleted the parent.
      expect(problems.filter(({ kind }) => kind !== "missing-parent")).toEqual([]);
    });

    it("keeps the state of a graph, as MemorySaver does", async () => {
      const State = Annotation.Root({
        log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
        last: Annotation<string>,
      });
      const graph = new StateGraph(State)
        .addNode("a", ({ log }) => ({ log: [`a ${log.length}`] }))
        .addNode("b", ({ log }) => ({ log: [`b ${log.length}`], last: "b" }))
        .addEdge(START, "a")
        .addEdge("a", "b");
      const config = threadConfig(newThread());
      const values = [];
      for (const checkpointer of [passesOnThree(open(database.source)), new MemorySaver()]) {
        const compiled = graph.compile({ checkpointer });
        for (const log of [["x"], ["y"]]) await compiled.invoke({ log }, { ...config, durability: "sync" });
        values.push((await compiled.getState(config)).values);
        if (checkpointer instanceof PostgresSaver) await checkpointer.end();
      }
      expect(values[0]).toEqual(values[1]);
    });
  });

  describe.each(SAVERS)("with newVersions that lack a channel, of %s,", (_, open) => {
    let saver: PostgresSaver;
    beforeAll(() => {
      saver = open(database.source);
    });
    afterAll(() => saver.end());

    /** A parent, and a child whose one new value the caller doesn't name. */
    const family = () => {
      const parent = checkpointOf(saver, { kept: { n: 1 }, changed: { n: 1 } });
      const child = checkpointOf(saver, { changed: { n: 2 }, named: { n: 2 } }, parent);
      child.channel_values = { ...parent.channel_values, ...child.channel_values };
      const { named = 0 } = child.channel_versions;
      return { thread: threadConfig(newThread()), parent, child, named: { named } };
    };

    it("stores the value whose version the parent lacks", async () => {
      const { thread, parent, child, named } = family();
      const config = await saver.put(thread, parent, metadataOf(), parent.channel_versions);
      await saver.put(config, child, metadataOf(), named);
      expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual(child.channel_values);
    });

    it("stores it in a statement that stores many checkpoints, and in a batch with the parent", async () => {
      const families = Array.from({ length: 12 }, family);
      const configs = await Promise.all(
        families.map(({ thread, parent }) =>
          saver.put(thread, parent, metadataOf(), parent.channel_versions),
        ),
      );
      await Promise.all(
        families.map(({ child, named }, nth) => saver.put(configs[nth] ?? {}, child, metadataOf(), named)),
      );
      const together = family();
      await saver.batch((batch) => {
        const { thread, parent, child, named } = together;
        void batch.put(thread, parent, metadataOf(), parent.channel_versions);
        void batch.put(threadConfig(idOf(thread), { checkpoint_id: parent.id }), child, metadataOf(), named);
      });
      for (const { thread, child } of [...families, together])
        expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual(child.channel_values);
    });
  });

  it("of a batch stores its values, too", async () => {
    await using saver = new PostgresSaver(database.source);
    const thread = threadConfig(newThread());
    await saver.batch((batch) => batch.put(thread, checkpointOf(saver, { a: { n: 1 } }), metadataOf()));
    expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual({ a: { n: 1 } });
  });
});
