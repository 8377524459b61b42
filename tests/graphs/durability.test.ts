import { describe, expect, it } from "@jest/globals";
import { EventEmitter, once } from "node:events";
import { Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import { describeGraphs } from "./support/describe-graphs.js";
import { historyOf } from "./support/history.js";
import { LogState, says } from "./support/log-state.js";

describeGraphs("durability", (suite) => {
  describe.each(["sync", "async", "exit"] as const)("%s", (durability) => {
    it("stores the final state, from which the next run continues", async () => {
      const graph = new StateGraph(LogState)
        .addNode("one", says("one"))
        .addNode("two", says("two"))
        .addEdge(START, "one")
        .addEdge("one", "two")
        .compile({ checkpointer: suite.saver });
      const thread = suite.newThread();

      await graph.invoke({ log: ["first"] }, { ...thread, durability });
      await graph.invoke({ log: ["second"] }, { ...thread, durability });

      const history = await historyOf(graph, thread);
      expect(history[0]?.values).toEqual({ log: ["first", "one", "two", "second", "one", "two"] });
      expect(history).toHaveLength(durability === "exit" ? 2 : 8);
    });

    it("resumes after an interrupt", async () => {
      const runs: string[] = [];
      const graph = new StateGraph(LogState)
        .addNode("one", () => {
          runs.push("one");
          return { log: ["one"] };
        })
        .addNode("ask", () => ({ log: [String(interrupt("?"))] }))
        .addEdge(START, "one")
        .addEdge("one", "ask")
        .compile({ checkpointer: suite.saver });
      const thread = suite.newThread();
      await graph.invoke({ log: [] }, { ...thread, durability });

      const resumed = await graph.invoke(new Command({ resume: "yes" }), { ...thread, durability });

      expect(resumed).toEqual({ log: ["one", "yes"] });
      expect(runs).toEqual(["one"]);
    });

    it("stores the state before a node fails, and the error", async () => {
      const graph = new StateGraph(LogState)
        .addNode("one", says("one"))
        .addNode("fail", () => {
          throw new RangeError("out of reach");
        })
        .addEdge(START, "one")
        .addEdge("one", "fail")
        .compile({ checkpointer: suite.saver });
      const thread = suite.newThread();

      const run = graph.invoke({ log: [] }, { ...thread, durability });

      await expect(run).rejects.toThrow("out of reach");
      const state = await graph.getState(thread);
      expect(state.values).toEqual({ log: ["one"] });
      expect(state.next).toEqual(["fail"]);
      expect(state.tasks).toMatchObject([{ name: "fail", error: { message: "out of reach" } }]);
    });

    it("stores the writes of the siblings of a failed node, and does not run them again", async () => {
      const runs: string[] = [];
      const siblingDone = new EventEmitter();
      let broken = true;
      const graph = new StateGraph(LogState)
        .addNode("steady", () => {
          runs.push("steady");
          return { log: ["steady"] };
        })
        .addNode("fragile", async () => {
          runs.push("fragile");
          if (broken) {
            await once(siblingDone, "done");
            throw new Error("broken");
          }
          return { log: ["fragile"] };
        })
        .addNode("after", says("after"))
        .addEdge(START, "steady")
        .addEdge(START, "fragile")
        .addEdge(["steady", "fragile"], "after")
        .compile({ checkpointer: suite.saver });
      const thread = suite.newThread();
      const run = async () => {
        const updates = await graph.stream({ log: [] }, { ...thread, durability, streamMode: "updates" });
        for await (const update of updates) if ("steady" in update) siblingDone.emit("done");
      };
      await expect(run()).rejects.toThrow("broken");
      const tuple = await suite.saver.getTuple(thread);
      expect(tuple?.pendingWrites).toContainEqual([expect.any(String), "log", ["steady"]]);

      broken = false;
      const { log } = await graph.invoke(null, { ...thread, durability });

      expect(log).toEqual(["fragile", "steady", "after"]);
      expect(runs).toEqual(["fragile", "steady", "fragile"]);
    });
  });

  it("sync stores every step before the next one begins", async () => {
    const thread = suite.newThread();
    const seen: unknown[] = [];
    const look = (name: string) => async () => {
      seen.push((await suite.saver.get(thread))?.channel_values.log);
      return { log: [name] };
    };
    const graph = new StateGraph(LogState)
      .addNode("one", look("one"))
      .addNode("two", look("two"))
      .addNode("three", look("three"))
      .addEdge(START, "one")
      .addEdge("one", "two")
      .addEdge("two", "three")
      .compile({ checkpointer: suite.saver });

    await graph.invoke({ log: ["in"] }, { ...thread, durability: "sync" });

    expect(seen).toEqual([["in"], ["in", "one"], ["in", "one", "two"]]);
  });
});
