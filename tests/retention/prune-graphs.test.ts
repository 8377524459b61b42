import { expect, it } from "@jest/globals";
import { Annotation, Command, DeltaChannel, interrupt, START, StateGraph } from "@langchain/langgraph";
import { describeGraphs, type GraphSuite, type Thread } from "../graphs/support/describe-graphs.js";
import { listIds } from "../../test-support/checkpoints.js";

const Plain = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
});

const Mixed = Annotation.Root({
  log: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()], {
    snapshotFrequency: 4,
  }),
  // Never written to. It must not make prune keep all checkpoints back to the first one.
  unused: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()]),
  plain: Plain.spec.log,
});

function plainGraph({ saver }: GraphSuite) {
  const inner = new StateGraph(Plain)
    .addNode("think", () => ({ log: ["think"] }))
    .addNode("ask", () => ({ log: [String(interrupt("?"))] }))
    .addEdge(START, "think")
    .addEdge("think", "ask")
    .compile({ checkpointer: true });
  return new StateGraph(Plain)
    .addNode("first", () => ({ log: ["first"] }))
    .addNode("inner", inner)
    .addNode("last", () => ({ log: ["last"] }))
    .addEdge(START, "first")
    .addEdge("first", "inner")
    .addEdge("inner", "last")
    .compile({ checkpointer: saver });
}

function mixedGraph({ saver }: GraphSuite) {
  const both = (marker: string) => ({ log: [marker], plain: [marker] });
  return new StateGraph(Mixed)
    .addNode("reply", ({ plain }) => both(`reply to ${plain.at(-1) ?? ""}`))
    .addNode("close", () => both("close"))
    .addEdge(START, "reply")
    .addEdge("reply", "close")
    .compile({ checkpointer: saver });
}

const both = (marker: string) => ({ log: [marker], plain: [marker] });

async function namespacesOf({ saver }: GraphSuite, thread: Thread): Promise<string[]> {
  const namespaces: string[] = [];
  for await (const { config } of saver.list(thread)) {
    namespaces.push(String(config.configurable?.checkpoint_ns));
  }
  return namespaces.sort();
}

describeGraphs("a graph whose thread is pruned", (suite) => {
  it("keeps one checkpoint of each namespace, and the graph resumes from its interrupt", async () => {
    const thread = suite.newThread();
    const graph = plainGraph(suite);
    await graph.invoke({ log: ["in"] }, thread);
    const state = await graph.getState(thread, { subgraphs: true });

    const report = await suite.saver.prune([thread.configurable.thread_id]);

    expect(report.checkpoints).toBeGreaterThan(2);
    const namespaces = await namespacesOf(suite, thread);
    expect(new Set(namespaces).size).toBe(namespaces.length);
    expect(namespaces.length).toBeGreaterThan(1);
    expect(await graph.getState(thread, { subgraphs: true })).toEqual(state);
    const { log } = await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(log).toContain("yes");
    expect(log.at(-1)).toBe("last");
  });

  it("keeps one checkpoint after the state was updated by hand, and the graph continues", async () => {
    const thread = suite.newThread();
    const graph = new StateGraph(Plain)
      .addNode("again", ({ log }) => ({ log: [`step ${log.length}`] }))
      .addNode("rest", () => ({}))
      .addEdge(START, "again")
      .addConditionalEdges("again", ({ log }) => (log.length < 6 ? "again" : "rest"))
      .compile({ checkpointer: suite.saver });
    await graph.invoke({ log: ["in"] }, thread);
    await graph.updateState(thread, { log: ["by hand"] }, "again");

    await suite.saver.prune([thread.configurable.thread_id]);

    expect(await namespacesOf(suite, thread)).toHaveLength(1);
    const { log } = await graph.invoke({ log: ["more"] }, thread);
    expect(log).toEqual(expect.arrayContaining(["in", "by hand", "more"]));
  });

  it.each(["sync", "exit"] as const)(
    "keeps what delta channels are rebuilt from (durability %s)",
    async (durability) => {
      const thread = suite.newThread();
      const options = { ...thread, durability };
      for (const question of ["one", "two", "three"]) await mixedGraph(suite).invoke(both(question), options);
      await mixedGraph(suite).updateState(thread, both("by hand"), "close");
      const state = await mixedGraph(suite).getState(thread);
      const before = await listIds(suite.saver.list(thread));

      await suite.saver.prune([thread.configurable.thread_id]);

      expect(await mixedGraph(suite).getState(thread)).toEqual(state);
      const after = await listIds(suite.saver.list(thread));
      expect(after.length).toBeLessThan(before.length);
      expect((await suite.saver.prune([thread.configurable.thread_id])).checkpoints).toBe(0);
      const { log, plain } = await mixedGraph(suite).invoke(both("four"), options);
      expect(log).toEqual(plain);
      expect((await mixedGraph(suite).getState(thread)).values).toMatchObject({ log: plain });
    },
  );

  it("keeps what a delta channel needs that was only updated by hand", async () => {
    const thread = suite.newThread();
    const graph = mixedGraph(suite);
    for (const marker of ["one", "two", "three"]) await graph.updateState(thread, both(marker), "close");
    const state = await graph.getState(thread);
    // The first update has no checkpoint before it: LangGraph.js before 1.5 loses its writes.
    expect(state.values).toMatchObject({ log: expect.arrayContaining(["two", "three"]) });

    await suite.saver.prune([thread.configurable.thread_id]);

    expect(await graph.getState(thread)).toEqual(state);
  });

  it("keeps what delta channels of other runs need when a run is deleted", async () => {
    const thread = suite.newThread();
    const graph = mixedGraph(suite);
    const run = (name: string) => ({ ...thread, metadata: { run_id: name } });
    await graph.invoke(both("one"), run("a"));
    await graph.invoke(both("two"), run("b"));
    const state = await graph.getState(thread);

    await suite.saver.deleteForRuns(["a"]);

    expect(await graph.getState(thread)).toEqual(state);
    const { log, plain } = await graph.invoke(both("three"), run("c"));
    expect(log).toEqual(plain);
  });
});
