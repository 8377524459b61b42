import { describe, expect, it } from "@jest/globals";
import { Annotation, Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import type { StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { describeGraphs, type GraphSuite } from "./support/describe-graphs.js";
import { historyOf, stateBefore } from "./support/history.js";
import { LogState, says } from "./support/log-state.js";

function threeSteps(suite: GraphSuite) {
  return new StateGraph(LogState)
    .addNode("one", says("one"))
    .addNode("two", says("two"))
    .addNode("three", says("three"))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .addEdge("two", "three")
    .compile({ checkpointer: suite.saver });
}

const CounterState = Annotation.Root({
  ...LogState.spec,
  branch: Annotation<string>,
  latest: Annotation<string>,
  twin: Annotation<string>,
});

/** Every step writes values to three channels that only its own branch writes. */
function counter(suite: GraphSuite) {
  return new StateGraph(CounterState)
    .addNode("count", ({ branch, log }) => {
      const value = `${branch} ${log.length}`;
      return { log: [value], latest: value, twin: value };
    })
    .addConditionalEdges("count", ({ log }) => (log.length % 10 === 0 ? "__end__" : "count"))
    .addEdge(START, "count")
    .compile({ checkpointer: suite.saver });
}

const CounterValues = z.object({
  log: z.array(z.string()),
  branch: z.string().default(""),
  latest: z.string().optional(),
  twin: z.string().optional(),
});

/** Whether only `branch` wrote a state, apart from the writes before the fork. */
function expectOnly(values: unknown, branch: string): void {
  const { log, latest, twin } = CounterValues.parse(values);
  expect(twin).toBe(latest);
  const counted = log.filter((line) => /\d$/.test(line));
  expect(latest).toBe(counted.at(-1));
  const others = counted.filter((line) => !line.startsWith("trunk") && !line.startsWith(`${branch} `));
  expect(others).toEqual([]);
}

function valuesOf(snapshots: readonly StateSnapshot[]): unknown[] {
  return snapshots.map((snapshot): unknown => snapshot.values);
}

describeGraphs("the history of a thread", (suite) => {
  it("contains every step, newest first, with its values at that time", async () => {
    const graph = threeSteps(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: ["in"] }, thread);

    const history = await historyOf(graph, thread);

    expect(history.map(({ metadata, next }) => [metadata?.step, metadata?.source, next])).toEqual([
      [3, "loop", []],
      [2, "loop", ["three"]],
      [1, "loop", ["two"]],
      [0, "loop", ["one"]],
      [-1, "input", ["__start__"]],
    ]);
    expect(valuesOf(history)).toEqual([
      { log: ["in", "one", "two", "three"] },
      { log: ["in", "one", "two"] },
      { log: ["in", "one"] },
      { log: ["in"] },
      { log: [] },
    ]);
    expect(history.map(({ parentConfig }) => parentConfig)).toEqual([
      ...history.slice(1).map(({ config }) => config),
      undefined,
    ]);
  });

  it("can be filtered by metadata, a checkpoint and a limit together", async () => {
    const graph = threeSteps(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: ["first"] }, thread);
    await graph.invoke({ log: ["second"] }, thread);
    const all = await historyOf(graph, thread);

    const [before] = all;
    if (before === undefined) throw new Error("There is a history");
    expect(await historyOf(graph, thread, { limit: 3 })).toEqual(all.slice(0, 3));
    expect(await historyOf(graph, thread, { before: before.config })).toEqual(all.slice(1));
    const inputs = all.filter(({ metadata }) => metadata?.source === "input");
    expect(inputs).toHaveLength(2);
    expect(await historyOf(graph, thread, { filter: { source: "input" } })).toEqual(inputs);
    const first = all.filter(({ metadata }) => metadata?.step === 1);
    expect(await historyOf(graph, thread, { filter: { step: 1, source: "loop" } })).toEqual(first);
    expect(
      await historyOf(graph, thread, { filter: { source: "loop" }, before: before.config, limit: 2 }),
    ).toEqual(all.slice(1, 3));
    expect(await historyOf(graph, thread, { filter: { source: "update" } })).toEqual([]);
  });

  it("shows the writes of each node in the next step", async () => {
    const graph = threeSteps(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: ["in"] }, thread);

    const history = await historyOf(graph, thread);

    expect(history.map(({ tasks }) => tasks.map(({ name, result }) => [name, result]))).toEqual([
      [],
      [["three", { log: ["three"] }]],
      [["two", { log: ["two"] }]],
      [["one", { log: ["one"] }]],
      [["__start__", { log: ["in"] }]],
    ]);
  });
});

describeGraphs("time travel", (suite) => {
  it("runs on from a past state without running earlier nodes again", async () => {
    const graph = threeSteps(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: ["in"] }, thread);
    const past = await stateBefore(graph, thread, "three");

    expect(await graph.invoke(null, past.config)).toEqual({ log: ["in", "one", "two", "three"] });
    const head = await graph.getState(thread);
    expect(head.parentConfig?.configurable?.checkpoint_id).not.toBeUndefined();
    expect((await graph.getState(past.config)).values).toEqual({ log: ["in", "one", "two"] });
  });

  it("forks a past state into a new branch, and leaves the other branch unchanged", async () => {
    const graph = threeSteps(suite);
    const thread = suite.newThread();
    await graph.invoke({ log: ["in"] }, thread);
    const original = await historyOf(graph, thread);
    const past = await stateBefore(graph, thread, "two");

    const forked = await graph.updateState(past.config, { log: ["edited"] });
    const fork = await graph.getState(forked);
    expect(fork.values).toEqual({ log: ["in", "one", "edited"] });
    expect(fork.metadata).toMatchObject({ source: "update", step: 2 });
    expect(fork.parentConfig?.configurable).toMatchObject({
      checkpoint_id: String(past.config.configurable?.checkpoint_id),
    });
    expect(await graph.invoke(null, forked)).toEqual({ log: ["in", "one", "edited", "two", "three"] });

    const now = await historyOf(graph, thread);
    expect(now.slice(-original.length)).toEqual(original);
  });

  it("interrupts again when it goes back to before an answered interrupt", async () => {
    const graph = new StateGraph(LogState)
      .addNode("before", says("before"))
      .addNode("ask", () => ({ log: [`answer: ${String(interrupt("?"))}`] }))
      .addEdge(START, "before")
      .addEdge("before", "ask")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    const asked = await graph.getState(thread);
    await graph.invoke(new Command({ resume: "first" }), thread);

    const again = await graph.invoke(null, asked.config);
    expect(again).toMatchObject({ __interrupt__: [{ value: "?" }] });
    const second = await graph.invoke(new Command({ resume: "second" }), thread);
    expect(second).toEqual({ log: ["before", "answer: second"] });
  });

  it("applies several updates in one call, each as the write of a node", async () => {
    const graph = threeSteps(suite);
    const thread = suite.newThread();

    const head = await graph.bulkUpdateState(thread, [
      { updates: [{ values: { log: ["in"] }, asNode: START }] },
      { updates: [{ values: { log: ["as one"] }, asNode: "one" }] },
      { updates: [{ values: { log: ["as two"] }, asNode: "two" }] },
    ]);

    const state = await graph.getState(head);
    expect(state.values).toEqual({ log: ["in", "as one", "as two"] });
    expect(state.next).toEqual(["three"]);
    expect(await graph.invoke(null, thread)).toEqual({ log: ["in", "as one", "as two", "three"] });
  });

  describe("into long branches", () => {
    it("never reads a value of another branch, though all branches have the same number of steps", async () => {
      const graph = counter(suite);
      const thread = suite.newThread();
      await graph.invoke({ log: ["start"], branch: "trunk" }, thread);
      const base = await stateBefore(graph, thread, "count");
      const branches = ["left", "middle", "right"];

      const heads = new Map<string, StateSnapshot["config"]>();
      for (const branch of branches) {
        const fork = await graph.updateState(base.config, { branch });
        await graph.invoke({ log: ["again"] }, fork);
        heads.set(branch, (await graph.getState(thread)).config);
      }

      for (const [branch, config] of heads) {
        const head = await graph.getState(config);
        expectOnly(head.values, branch);
      }
      const past = await historyOf(graph, thread);
      for (const branch of branches) {
        const own = past.filter(({ values }) => CounterValues.parse(values).branch === branch);
        expect(own.length).toBeGreaterThan(10);
        for (const { values } of own) expectOnly(values, branch);
      }
    });

    it("keeps concurrent branches apart", async () => {
      const graph = counter(suite);
      const thread = suite.newThread();
      await graph.invoke({ log: ["start"], branch: "trunk" }, thread);
      const base = await stateBefore(graph, thread, "count");
      const branches = ["a", "b", "c", "d"];

      const results = await Promise.all(
        branches.map(async (branch) => {
          const fork = await graph.updateState(base.config, { branch });
          return await graph.invoke({ log: ["again"] }, fork);
        }),
      );

      expect(results.map(({ branch }) => branch)).toEqual(branches);
      for (const values of results) expectOnly(values, values.branch);
      for (const { values } of await historyOf(graph, thread)) {
        const { branch } = CounterValues.parse(values);
        if (branches.includes(branch)) expectOnly(values, branch);
      }
    });
  });
});
