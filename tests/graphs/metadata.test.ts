import { expect, it } from "@jest/globals";
import { START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import { describeEachTarget, type TestDatabase } from "../support/targets.js";
import { newThread } from "../support/checkpoints.js";
import { LogState, says } from "./support/log-state.js";

/** As README.md shows it. */
class AgentSaver extends PostgresSaver {
  override put(...[config, checkpoint, metadata, ...rest]: Parameters<PostgresSaver["put"]>) {
    const ours: Record<string, unknown> = {
      user_id: config.metadata?.user_id,
      run_id: config.metadata?.run_id,
    };
    return super.put(config, checkpoint, { ...metadata, ...ours }, ...rest);
  }
}

/** A graph with a subgraph, whose checkpoints are in a namespace of their own. */
function agent(checkpointer: PostgresSaver) {
  const inner = new StateGraph(LogState).addNode("deep", says("deep")).addEdge(START, "deep").compile();
  return new StateGraph(LogState).addNode("inner", inner).addEdge(START, "inner").compile({ checkpointer });
}

describeEachTarget("the metadata of a run", (target) => {
  async function run(saver: PostgresSaver): Promise<string> {
    const thread_id = newThread();
    await agent(saver).invoke(
      { log: ["in"] },
      { configurable: { thread_id }, metadata: { user_id: "7", run_id: "r1" } },
    );
    return thread_id;
  }

  async function threadsOf(saver: PostgresSaver): Promise<string[]> {
    return (await saver.listThreads({ filter: { user_id: "7" } })).map(({ threadId }) => threadId);
  }

  it("has of its config what a saver of the application's own puts there, and is found by it", async () => {
    const database: TestDatabase = await target.createDatabase();
    await using plain = new PostgresSaver(database.source);
    await using saver = new AgentSaver(database.source);
    await plain.setup();
    // LangGraph.js keeps nothing of a run's config in the metadata of its checkpoints.
    await run(plain);
    expect(await threadsOf(saver)).toEqual([]);

    const thread = await run(saver);
    expect(await threadsOf(saver)).toEqual([thread]);
    expect(await saver.deleteForRuns(["r1"])).toMatchObject({ checkpoints: 6 });
    expect(await threadsOf(saver)).toEqual([]);
  });
});
