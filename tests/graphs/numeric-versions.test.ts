import { beforeAll, expect, it } from "@jest/globals";
import { Annotation, DeltaChannel, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { copyThreads, PostgresSaver } from "../../src/index.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const State = Annotation.Root({
  log: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()], {
    snapshotFrequency: 1_000,
    initialValueFactory: () => [],
  }),
});

const graphOf = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addNode("reply", () => ({ log: ["reply"] }))
    .addEdge(START, "reply")
    .compile({ checkpointer });

describeAnyTarget("a thread that counts in numbers", (target) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.sharedDatabase();
  });

  it("has the writes of a replay as often as with MemorySaver, where the replay gives a delta channel its first version", async () => {
    const memory = new MemorySaver();
    const saver = new PostgresSaver(database.source);
    const thread = newThread();
    const config = threadConfig(thread);
    await graphOf(memory).invoke({ log: ["in"] }, config);
    await copyThreads(memory, saver, { threads: [thread] });
    for (const each of [memory, saver]) {
      const graph = graphOf(each);
      const [oldest] = (await collect(graph.getStateHistory(config))).reverse();
      await graph.invoke(null, oldest?.config ?? {});
      await graph.invoke({ log: ["more"] }, config);
    }
    expect((await graphOf(saver).getState(config)).values).toEqual(
      (await graphOf(memory).getState(config)).values,
    );
    for (const { checkpoint } of await collect(saver.list(config))) {
      const { channel_versions, versions_seen } = checkpoint;
      for (const versions of [channel_versions, ...Object.values(versions_seen)])
        for (const version of Object.values(versions)) expect(typeof version).toBe("number");
    }
  });
});
