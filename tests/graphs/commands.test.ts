import { expect, it } from "@jest/globals";
import { Annotation, Command, END, Send, START, StateGraph } from "@langchain/langgraph";
import { describeGraphs } from "./support/describe-graphs.js";
import { historyOf } from "./support/history.js";
import { LogState, says } from "./support/log-state.js";

const ItemState = Annotation.Root({ ...LogState.spec, item: Annotation<unknown> });

describeGraphs("Send and Command", (suite) => {
  it("run one task for each Send with its own input, and merge the results in order", async () => {
    const items = Array.from({ length: 50 }, (_, index) => `item ${index}`);
    const graph = new StateGraph(ItemState)
      .addNode("worker", ({ item }) => ({ log: [String(item)] }))
      .addNode("after", ({ log }: typeof ItemState.State) => ({ log: [`${log.length} done`] }))
      .addConditionalEdges(START, () => items.map((item) => new Send("worker", { item })), ["worker"])
      .addEdge("worker", "after")
      .compile({ checkpointer: suite.saver });

    const { log } = await graph.invoke({ log: [] }, suite.newThread());

    expect(log).toEqual([...items, "50 done"]);
  });

  it("store the input of a Send until the task runs, also in another process", async () => {
    const input = { item: { at: new Date(5), who: new Set([1, 2]), big: 2n ** 80n } };
    const build = () =>
      new StateGraph(ItemState)
        .addNode("plan", () => new Command({ goto: [new Send("worker", input)] }), { ends: ["worker"] })
        .addNode("worker", ({ item }) => ({ log: [item === input.item ? "same object" : "read back"], item }))
        .addEdge(START, "plan")
        .compile({ checkpointer: suite.saver, interruptBefore: ["worker"] });
    const thread = suite.newThread();
    await build().invoke({ log: [] }, thread);

    const { next } = await build().getState(thread);
    await build().invoke(null, thread);

    expect(next).toEqual(["worker"]);
    expect((await build().getState(thread)).values).toEqual({ log: ["read back"], item: input.item });
  });

  it("run the node that a Command names, with the update of the Command", async () => {
    const graph = new StateGraph(LogState)
      .addNode(
        "router",
        ({ log }: typeof LogState.State) =>
          log.length < 4
            ? new Command({ goto: "loop", update: { log: ["router"] } })
            : new Command({ goto: END, update: { log: ["end"] } }),
        { ends: ["loop", END] },
      )
      .addNode("loop", says("loop"))
      .addEdge(START, "router")
      .addEdge("loop", "router")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();

    await graph.invoke({ log: [] }, thread);

    const state = await graph.getState(thread);
    expect(state.values).toEqual({ log: ["router", "loop", "router", "loop", "end"] });
    expect(state.next).toEqual([]);
    expect((await historyOf(graph, thread)).map(({ next }) => next).reverse()).toEqual([
      ["__start__"],
      ["router"],
      ["loop"],
      ["router"],
      ["loop"],
      ["router"],
      [],
    ]);
  });

  it("update a finished thread, and run on from there", async () => {
    const graph = new StateGraph(LogState)
      .addNode("work", says("work"), { ends: ["extra"] })
      .addNode("extra", says("extra"))
      .addEdge(START, "work")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);

    await graph.invoke(new Command({ update: { log: ["outside"] }, goto: "extra" }), thread);

    expect((await graph.getState(thread)).values).toEqual({ log: ["work", "outside", "extra"] });
  });

  it("wait for all branches at a join, even if they end in different super-steps", async () => {
    const graph = new StateGraph(LogState)
      .addNode("short", says("short"))
      .addNode("long", says("long"))
      .addNode("longer", says("longer"))
      .addNode("join", says("join"))
      .addEdge(START, "short")
      .addEdge(START, "long")
      .addEdge("long", "longer")
      .addEdge(["short", "longer"], "join")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();

    await graph.invoke({ log: [] }, { ...thread, interruptBefore: ["longer"] });
    const { log } = await graph.invoke(null, thread);

    expect(log).toEqual(["long", "short", "longer", "join"]);
  });
});
