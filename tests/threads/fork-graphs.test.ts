import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  Annotation,
  Command,
  DeltaChannel,
  END,
  interrupt,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const append = (current: string[], added: string[]) => [...current, ...added];
const REDUCERS = { delta: (current: string[] | undefined, added: string[]) => append(current ?? [], added) };

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: append, default: () => [] }),
  plan: Annotation<string>(),
});

const DeltaState = Annotation.Root({
  delta: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()]),
  log: Annotation<string[]>({ reducer: append, default: () => [] }),
});

describeAnyTarget("a fork of a graph's checkpoint", (target) => {
  let saver: PostgresSaver;
  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());

  function planner(mark: () => string = () => "") {
    return new StateGraph(State)
      .addNode("first", () => ({ log: [`first${mark()}`], plan: "A" }))
      .addNode("second", ({ plan }) => ({ log: [`second by ${plan}${mark()}`] }))
      .addNode("third", ({ plan }) => ({ log: [`third by ${plan}${mark()}`] }))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", "third")
      .addEdge("third", END)
      .compile({ checkpointer: saver });
  }

  function deltaGraph() {
    const both = (entry: string) => ({ delta: [entry], log: [entry] });
    return new StateGraph(DeltaState)
      .addNode("first", () => both("first"))
      .addNode("second", () => both("second"))
      .addNode("third", () => both("third"))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", "third")
      .addEdge("third", END)
      .compile({ checkpointer: saver });
  }

  /** The config of the checkpoint before a node runs. */
  async function before(
    graph: { getStateHistory: ReturnType<typeof planner>["getStateHistory"] },
    thread: RunnableConfig,
    node: string,
  ) {
    const snapshots = await collect(graph.getStateHistory(thread));
    const found = snapshots.find(({ next }) => next.includes(node));
    if (found === undefined) throw new Error(`"${node}" never ran next`);
    return found.config;
  }

  interface Values {
    readonly log: string[];
    readonly delta?: string[];
    readonly plan?: string;
  }

  async function valuesOf(
    graph: { getState(config: RunnableConfig): Promise<{ readonly values: unknown }> },
    config: RunnableConfig,
  ): Promise<Values> {
    return (await graph.getState(config)).values as Values;
  }

  function idOf({ configurable }: RunnableConfig): string {
    return configurable?.checkpoint_id as string;
  }

  it("runs on from a middle checkpoint with other values, and does not change the first branch", async () => {
    const thread = threadConfig(newThread());
    const graph = planner();
    await graph.invoke({ log: ["in"] }, thread);
    const end = (await graph.getState(thread)).config;
    const middle = await before(graph, thread, "second");
    const config = await saver.fork(middle, { values: { plan: "B" } });
    expect(await valuesOf(graph, config)).toEqual({ log: ["in", "first"], plan: "B" });
    expect((await graph.getState(config)).next).toEqual(["second"]);
    await graph.invoke(null, config);
    expect(await valuesOf(graph, thread)).toEqual({
      log: ["in", "first", "second by B", "third by B"],
      plan: "B",
    });
    expect(await valuesOf(graph, end)).toEqual({
      log: ["in", "first", "second by A", "third by A"],
      plan: "A",
    });
  });

  it("has the target as its parent, the next step, and the source fork", async () => {
    const thread = threadConfig(newThread());
    const graph = planner();
    await graph.invoke({ log: ["in"] }, thread);
    const middle = await before(graph, thread, "second");
    const config = await saver.fork(middle);
    const [parent, fork] = [await saver.getTuple(middle), await saver.getTuple(config)];
    expect(fork?.parentConfig).toEqual(parent?.config);
    expect(fork?.metadata).toEqual({
      source: "fork",
      step: (parent?.metadata?.step ?? NaN) + 1,
      parents: {},
    });
    expect(fork?.checkpoint).toEqual({
      ...parent?.checkpoint,
      id: idOf(config),
      ts: fork?.checkpoint.ts,
    });
    expect(fork?.pendingWrites).toEqual([]);
  });

  it("rolls a thread back, so that the next run continues from there", async () => {
    const thread = threadConfig(newThread());
    const graph = planner();
    await graph.invoke({ log: ["one"] }, thread);
    const good = (await graph.getState(thread)).config;
    await graph.invoke({ log: ["two"] }, thread);
    const bad = (await graph.getState(thread)).config;
    const config = await saver.rollback(thread.configurable?.thread_id as string, idOf(good));
    const state = await graph.getState(thread);
    expect(state.config.configurable).toMatchObject(config.configurable ?? {});
    expect(state.values).toEqual(await valuesOf(graph, good));
    expect(state.next).toEqual([]);
    await graph.invoke({ log: ["three"] }, thread);
    const values = await valuesOf(graph, thread);
    expect(values.log).toEqual([
      ...["one", "first", "second by A", "third by A"],
      ...["three", "first", "second by A", "third by A"],
    ]);
    expect((await valuesOf(graph, bad)).log).toContain("two");
  });

  it("rolls an interrupted thread back: the graph asks again, and the answer stays on the new branch", async () => {
    const graph = new StateGraph(State)
      .addNode("ask", () => ({ log: [`answer: ${interrupt<string, string>("which?")}`] }))
      .addNode("done", () => ({ log: ["done"] }))
      .addEdge(START, "ask")
      .addEdge("ask", "done")
      .addEdge("done", END)
      .compile({ checkpointer: saver });
    const thread = threadConfig(newThread());
    await graph.invoke({ log: ["in"] }, thread);
    const asked = await graph.getState(thread);
    expect(asked.tasks[0]?.interrupts).toHaveLength(1);
    await graph.invoke(new Command({ resume: "left" }), thread);
    await saver.rollback(thread.configurable?.thread_id as string, idOf(asked.config));
    const back = await graph.getState(thread);
    expect(back.next).toEqual(["ask"]);
    expect(back.tasks[0]?.interrupts).toEqual([]);
    await graph.invoke(null, thread);
    expect((await graph.getState(thread)).tasks[0]?.interrupts).toHaveLength(1);
    await graph.invoke(new Command({ resume: "right" }), thread);
    expect((await valuesOf(graph, thread)).log).toEqual(["in", "answer: right", "done"]);
    const all = (await collect(graph.getStateHistory(thread))).filter(({ next }) => next.length === 0);
    expect(all.map(({ values }) => (values as { log: string[] }).log[1])).toEqual([
      "answer: right",
      "answer: left",
    ]);
  });

  it("keeps sends", async () => {
    const graph = new StateGraph(State)
      .addNode("spread", () => ({ log: ["spread"] }))
      .addNode("each", ({ log }) => ({ log: log.map((entry) => `each ${entry}`) }))
      .addEdge(START, "spread")
      .addConditionalEdges(
        "spread",
        () => [new Send("each", { log: ["x"] }), new Send("each", { log: ["y"] })],
        ["each"],
      )
      .compile({ checkpointer: saver });
    const thread = threadConfig(newThread());
    await graph.invoke({ log: [] }, thread);
    const config = await saver.fork(await before(graph, thread, "each"), { values: { log: ["new"] } });
    expect((await graph.invoke(null, config)).log).toEqual(["new", "each x", "each y"]);
  });

  it.each(["first", "second", "third"])(
    "rebuilds a delta channel before the node %s, so that both branches keep their own values",
    async (node) => {
      const graph = deltaGraph();
      const thread = threadConfig(newThread());
      await graph.invoke({ delta: ["in"], log: ["in"] }, thread);
      const end = (await graph.getState(thread)).config;
      const middle = await before(graph, thread, node);
      const expected = await valuesOf(graph, middle);
      const config = await saver.fork(middle, { reducers: REDUCERS });
      expect(await valuesOf(graph, config)).toEqual(expected);
      await graph.invoke(null, config);
      const values = await valuesOf(graph, thread);
      expect(values.delta).toEqual(["in", "first", "second", "third"]);
      expect(values.delta).toEqual(values.log);
      expect((await valuesOf(graph, end)).delta).toEqual(["in", "first", "second", "third"]);
    },
  );

  it("rebuilds a delta channel in the order in which LangGraph applied parallel nodes", async () => {
    const says = (entry: string) => () => ({ delta: [entry], log: [entry] });
    const graph = new StateGraph(DeltaState)
      .addNode("left", says("left"))
      .addNode("middle", says("middle"))
      .addNode("right", says("right"))
      .addEdge(START, "left")
      .addEdge(START, "middle")
      .addEdge(START, "right")
      .compile({ checkpointer: saver });
    for (let run = 0; run < 4; run += 1) {
      const thread = threadConfig(newThread());
      const { delta } = await graph.invoke({ delta: ["in"], log: ["in"] }, thread);
      const end = (await graph.getState(thread)).config;
      const fork = await saver.fork(end, { reducers: REDUCERS });
      expect((await valuesOf(graph, fork)).delta).toEqual(delta);
    }
  });

  it("ignores later writes of the other branch", async () => {
    const graph = deltaGraph();
    const thread = threadConfig(newThread());
    await graph.invoke({ delta: ["in"], log: ["in"] }, thread);
    const end = (await graph.getState(thread)).config;
    const config = await saver.fork(end, { reducers: REDUCERS });
    await graph.invoke({ delta: ["other"], log: ["other"] }, end);
    const values = await valuesOf(graph, config);
    expect(values.delta).toEqual(["in", "first", "second", "third"]);
  });

  it("requires the reducer of a delta channel that the target's tasks wrote to", async () => {
    const graph = deltaGraph();
    const thread = threadConfig(newThread());
    await graph.invoke({ delta: ["in"], log: ["in"] }, thread);
    const middle = await before(graph, thread, "second");
    const refused = expect(saver.fork(middle)).rejects;
    await refused.toThrow(InvalidConfigError);
    await refused.toMatchObject({ field: "options.reducers.delta", channel: "delta" });
    const thread_id = thread.configurable?.thread_id as string;
    await expect(saver.rollback(thread_id, idOf(middle))).rejects.toMatchObject({
      field: "options.reducers.delta",
    });
    await saver.rollback(thread_id, idOf(middle), { reducers: REDUCERS });
    expect((await valuesOf(graph, thread)).delta).toEqual(["in", "first"]);
  });

  it("accepts a value for a delta channel instead, and continues from it", async () => {
    const graph = deltaGraph();
    const thread = threadConfig(newThread());
    await graph.invoke({ delta: ["in"], log: ["in"] }, thread);
    const config = await saver.fork(await before(graph, thread, "second"), { values: { delta: ["new"] } });
    expect((await valuesOf(graph, config)).delta).toEqual(["new"]);
    await graph.invoke(null, config);
    expect((await valuesOf(graph, thread)).delta).toEqual(["new", "second", "third"]);
  });

  it.each([undefined, 1])(
    "recognizes a delta channel after a state update, with snapshotFrequency %s",
    async (frequency) => {
      const graph = new StateGraph(
        Annotation.Root({
          delta: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()], {
            ...(frequency && { snapshotFrequency: frequency }),
          }),
        }),
      )
        .addNode("first", () => ({ delta: ["first"] }))
        .addNode("second", () => ({ delta: ["second"] }))
        .addEdge(START, "first")
        .addEdge("first", "second")
        .compile({ checkpointer: saver, interruptBefore: ["second"] });
      const thread = threadConfig(newThread());
      await graph.invoke({ delta: ["in"] }, thread);
      const updated = await graph.updateState(thread, { delta: ["by hand"] }, "first");
      await graph.invoke(null, updated);
      const expected = await valuesOf(graph, updated);
      const { channel_values } = (await saver.getTuple(updated))?.checkpoint ?? {};
      // Since LangGraph.js 1.5 a state update may store the channel whole.
      if (!Object.hasOwn(channel_values ?? {}, "delta"))
        await expect(saver.fork(updated)).rejects.toMatchObject({ field: "options.reducers.delta" });
      const config = await saver.fork(updated, { reducers: REDUCERS });
      expect(await valuesOf(graph, config)).toEqual(expected);
      const again = await saver.fork(config, { reducers: REDUCERS });
      expect(await valuesOf(graph, again)).toEqual(expected);
    },
  );
});
