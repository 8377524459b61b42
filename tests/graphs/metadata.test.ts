import { expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { metadataOf, newThread } from "../../test-support/checkpoints.js";
import { listCheckpoint } from "../../test-support/put-from.js";
import { LogState, says } from "./support/log-state.js";

/** A graph with a subgraph, whose checkpoints have their own namespace. */
function agent(checkpointer: PostgresSaver) {
  const inner = new StateGraph(LogState).addNode("deep", says("deep")).addEdge(START, "deep").compile();
  return new StateGraph(LogState).addNode("inner", inner).addEdge(START, "inner").compile({ checkpointer });
}

describeAnyTarget("the metadata of a run", (target) => {
  async function run(saver: PostgresSaver, config: RunnableConfig): Promise<string> {
    const thread_id = newThread();
    await agent(saver).invoke(
      { log: ["in"] },
      { ...config, configurable: { ...config.configurable, thread_id } },
    );
    return thread_id;
  }

  async function threadsOf(saver: PostgresSaver): Promise<string[]> {
    return (await saver.listThreads({ filter: { user_id: "7" } })).map(({ threadId }) => threadId);
  }

  it("contains the config values that `metadataFromConfig` names, and is found by them", async () => {
    const database: TestDatabase = await target.migratedDatabase();
    await using plain = new PostgresSaver(database.source);
    await using saver = new PostgresSaver(database.source, undefined, {
      metadataFromConfig: ["user_id", "run_id", "step", "missing"],
    });
    const config = { configurable: { user_id: "7" }, metadata: { run_id: "r1", step: "mine", other: 1 } };
    // LangGraph.js itself stores no config values in the metadata of checkpoints.
    await run(plain, config);
    expect(await threadsOf(saver)).toEqual([]);

    const thread = await run(saver, config);
    expect(await threadsOf(saver)).toEqual([thread]);
    const { metadata } = (await saver.getTuple({ configurable: { thread_id: thread } })) ?? {};
    expect(metadata).toEqual({ source: "loop", step: 1, parents: {}, user_id: "7", run_id: "r1" });
    expect(await saver.deleteForRuns(["r1"])).toMatchObject({ checkpoints: 6 });
    expect(await threadsOf(saver)).toEqual([]);
  });

  it("contains only strings, numbers and booleans of the config, also in a batch", async () => {
    const database: TestDatabase = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, {
      metadataFromConfig: ["a", "b", "c", "d"],
    });
    const thread_id = newThread();
    const checkpoint = listCheckpoint();
    await saver.batch((batch) =>
      batch.put(
        {
          configurable: { thread_id, a: 1, b: { not: "this" }, d: true },
          metadata: { a: "first", c: () => 1 },
        },
        checkpoint,
        metadataOf(),
        {},
      ),
    );
    const tuple = await saver.getTuple({ configurable: { thread_id } });
    expect(tuple?.metadata).toEqual({ ...metadataOf(), a: "first", d: true });
  });
});
