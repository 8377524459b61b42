import { expect, it } from "@jest/globals";
import { Annotation, Command, END, interrupt, Send, START, StateGraph } from "@langchain/langgraph";
import type { StateSnapshot } from "@langchain/langgraph";
import { describeGraphs, type GraphSuite, type Thread } from "./support/describe-graphs.js";
import { historyOf, stateBefore } from "./support/history.js";
import { LogState, says } from "./support/log-state.js";

const InnerState = Annotation.Root({ ...LogState.spec, own: Annotation<string> });

/** A graph with a subgraph that interrupts. `memory` is the option `checkpointer` that the subgraph is compiled with. */
function nested(suite: GraphSuite, memory?: boolean) {
  const inner = new StateGraph(InnerState)
    .addNode("prepare", () => ({ log: ["prepare"], own: "only the subgraph's" }))
    .addNode("ask", () => ({ log: [`ask: ${String(interrupt("ask?"))}`] }))
    .addEdge(START, "prepare")
    .addEdge("prepare", "ask")
    .compile(memory === undefined ? {} : { checkpointer: memory });
  return new StateGraph(LogState)
    .addNode("before", says("before"))
    .addNode("inner", inner)
    .addNode("after", says("after"))
    .addEdge(START, "before")
    .addEdge("before", "inner")
    .addEdge("inner", "after")
    .compile({ checkpointer: suite.saver });
}

/** The state of the subgraph in the first task of a state. */
function innerState(state: StateSnapshot): StateSnapshot {
  const inner = state.tasks[0]?.state;
  if (inner === undefined || !("values" in inner)) throw new Error("The first task runs no subgraph");
  return inner;
}

async function namespacesOf(suite: GraphSuite, thread: Thread): Promise<string[]> {
  const namespaces = new Set<string>();
  for await (const { config } of suite.saver.list(thread)) {
    namespaces.add(String(config.configurable?.checkpoint_ns));
  }
  return [...namespaces].sort();
}

describeGraphs("a subgraph", (suite) => {
  it("stores its state in its own namespace, which the state of the parent graph shows on request", async () => {
    const graph = nested(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);

    const [root, ns] = await namespacesOf(suite, thread);
    expect(root).toBe("");
    expect(ns).toMatch(/^inner:[0-9a-f-]{36}$/);

    const state = await graph.getState(thread, { subgraphs: true });
    expect(state.values).toEqual({ log: ["before"] });
    expect(innerState(state)).toMatchObject({
      values: { log: ["before", "prepare"], own: "only the subgraph's" },
      next: ["ask"],
      config: { configurable: { checkpoint_ns: ns } },
    });
  });

  it("is resumed at its interrupt without running earlier nodes again", async () => {
    const graph = nested(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);

    const { log } = await graph.invoke(new Command({ resume: "yes" }), thread);

    // The subgraph returns its whole log, and the reducer of the parent graph appends it.
    expect(log).toEqual(["before", "before", "prepare", "ask: yes", "after"]);
  });

  it("can be updated during its interrupt", async () => {
    const graph = nested(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    const { config } = innerState(await graph.getState(thread, { subgraphs: true }));

    await graph.updateState(config, { log: ["edited"] });

    const { log } = await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(log).toEqual(["before", "before", "prepare", "edited", "ask: yes", "after"]);
  });

  it("starts empty in each run, unless it has its own memory", async () => {
    const seen: string[][] = [];
    const build = (memory: boolean) => {
      const inner = new StateGraph(InnerState)
        .addNode("note", ({ own }) => {
          seen.push([own]);
          return { own: "noted" };
        })
        .addEdge(START, "note")
        .compile(memory ? { checkpointer: true } : {});
      return new StateGraph(LogState)
        .addNode("inner", inner)
        .addEdge(START, "inner")
        .compile({ checkpointer: suite.saver });
    };
    for (const memory of [false, true]) {
      const thread = suite.newThread();
      await build(memory).invoke({ log: [] }, thread);
      await build(memory).invoke({ log: [] }, thread);
    }

    expect(seen).toEqual([[undefined], [undefined], [undefined], ["noted"]]);
  });

  it("of a subgraph has a namespace below that of its parent, and is resumed there", async () => {
    const middle = new StateGraph(LogState)
      .addNode("innermost", () => ({ log: [`innermost: ${String(interrupt("deep?"))}`] }))
      .addEdge(START, "innermost");
    const outer = new StateGraph(LogState)
      .addNode("middle", middle.compile())
      .addEdge(START, "middle")
      .compile();
    const graph = new StateGraph(LogState)
      .addNode("outer", outer)
      .addEdge(START, "outer")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);

    const namespaces = await namespacesOf(suite, thread);
    expect(namespaces.map((ns) => ns.replaceAll(/[0-9a-f-]{36}/g, "id"))).toEqual([
      "",
      "outer:id",
      "outer:id|middle:id",
    ]);
    expect(await graph.invoke(new Command({ resume: "yes" }), thread)).toEqual({ log: ["innermost: yes"] });
  });

  it("has a separate state for each of several parallel tasks", async () => {
    const inner = new StateGraph(InnerState)
      .addNode("keep", ({ own }) => ({ log: [`${own} kept`] }))
      .addNode("ask", ({ own }) => ({ log: [`${own}: ${String(interrupt(own))}`] }))
      .addEdge(START, "keep")
      .addEdge("keep", "ask")
      .compile();
    const graph = new StateGraph(LogState)
      .addNode("inner", inner)
      .addConditionalEdges(START, () => ["a", "b", "c"].map((own) => new Send("inner", { log: [], own })), [
        "inner",
      ])
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);

    const { tasks } = await graph.getState(thread, { subgraphs: true });
    expect(tasks.map((task) => task.state)).toMatchObject(
      ["a", "b", "c"].map((own) => ({ values: { own, log: [`${own} kept`] }, next: ["ask"] })),
    );
    const resume = Object.fromEntries(
      tasks.flatMap(({ interrupts }) =>
        interrupts.map(({ id, value }) => [id ?? "", `yes, ${String(value)}`]),
      ),
    );
    const { log } = await graph.invoke(new Command({ resume }), thread);
    expect(log).toEqual(["a", "b", "c"].flatMap((own) => [`${own} kept`, `${own}: yes, ${own}`]));
  });

  it("can direct its parent graph to another node", async () => {
    const inner = new StateGraph(LogState)
      .addNode(
        "leave",
        () => new Command({ graph: Command.PARENT, goto: "elsewhere", update: { log: ["left"] } }),
        { ends: [END] },
      )
      .addEdge(START, "leave")
      .compile();
    const graph = new StateGraph(LogState)
      .addNode("inner", inner, { ends: ["elsewhere"] })
      .addNode("elsewhere", says("elsewhere"))
      .addEdge(START, "inner")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();

    await graph.invoke({ log: [] }, thread);

    expect((await graph.getState(thread)).values).toEqual({ log: ["left", "elsewhere"] });
  });

  it("with its own memory is replayed from its past state", async () => {
    const graph = nested(suite, true);
    const thread = suite.newThread();
    for (const answer of ["one", "two"]) {
      await graph.invoke({ log: [] }, thread);
      await graph.invoke(new Command({ resume: answer }), thread);
    }
    const [, firstRun] = (await historyOf(graph, thread)).filter(({ next }) => next.includes("inner"));

    await graph.invoke(null, { ...firstRun?.config });

    const replayed = await graph.getState(
      { configurable: { ...thread.configurable, checkpoint_ns: "inner" } },
      { subgraphs: true },
    );
    expect(replayed.values).toMatchObject({ log: ["before", "prepare"] });
    expect(replayed.next).toEqual(["ask"]);
  });

  it("has its own history, from which it can be replayed", async () => {
    const graph = nested(suite, true);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    await graph.invoke(new Command({ resume: "first" }), thread);
    const inner = { configurable: { ...thread.configurable, checkpoint_ns: "inner" } };

    const beforePrepare = await stateBefore(graph, inner, "prepare");
    expect(beforePrepare.values).toEqual({ log: ["before"] });
    const replayed = await graph.invoke(null, beforePrepare.config);

    expect(replayed).toMatchObject({ __interrupt__: [{ value: "ask?" }] });
  });
});
