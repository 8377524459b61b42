import { expect, it } from "@jest/globals";
import { Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import { describeGraphs, type GraphSuite, type Thread } from "../graphs/support/describe-graphs.js";
import { historyOf } from "../graphs/support/history.js";
import { LogState } from "../graphs/support/log-state.js";

// These cases come from LangGraph's own tests of time travel (MIT), which use the in-memory saver.

/** A graph whose only node is a subgraph with a memory and two interrupts. Adds the name of each node that runs to `runs`. */
function interview(suite: GraphSuite, runs: string[]) {
  const asks = (name: string) => () => {
    runs.push(name);
    return { log: [`${name}: ${String(interrupt(`${name}?`))}`] };
  };
  const executor = new StateGraph(LogState)
    .addNode("prepare", () => {
      runs.push("prepare");
      return { log: ["prepared"] };
    })
    .addNode("first", asks("first"))
    .addNode("second", asks("second"))
    .addEdge(START, "prepare")
    .addEdge("prepare", "first")
    .addEdge("first", "second")
    .compile({ checkpointer: true });
  return new StateGraph(LogState)
    .addNode("executor", executor)
    .addEdge(START, "executor")
    .compile({ checkpointer: suite.saver });
}

function inside(thread: Thread) {
  return { configurable: { ...thread.configurable, checkpoint_ns: "executor" } };
}

function asked(question: string) {
  return { __interrupt__: [{ value: question }] };
}

describeGraphs("time travel into a subgraph", (suite) => {
  it.each([
    { question: "first?", answers: [], rerun: ["first"] },
    { question: "second?", answers: ["a"], rerun: ["second"] },
  ])("runs and forks from the interrupt $question", async ({ question, answers, rerun }) => {
    const runs: string[] = [];
    const graph = interview(suite, runs);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    for (const resume of answers) await graph.invoke(new Command({ resume }), thread);
    const { config } = await graph.getState(inside(thread), { subgraphs: true });
    for (const resume of ["a", "b"].slice(answers.length)) {
      await graph.invoke(new Command({ resume }), thread);
    }

    runs.length = 0;
    expect(await graph.invoke(null, config)).toMatchObject(asked(question));
    expect(runs).toEqual(rerun);

    runs.length = 0;
    const forked = await graph.updateState(config, { log: ["forked"] });
    expect(await graph.invoke(null, forked)).toMatchObject(asked(question));
    expect(runs).toEqual(rerun);
  });

  it("accepts new answers in a replay, and keeps the history of the first answers", async () => {
    const graph = interview(suite, []);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    const { config } = await graph.getState(inside(thread), { subgraphs: true });
    await graph.invoke(new Command({ resume: "a" }), thread);
    await graph.invoke(new Command({ resume: "b" }), thread);
    const original = await historyOf(graph, thread);

    await graph.invoke(null, config);
    expect((await historyOf(graph, thread)).map(({ metadata, next }) => [metadata?.source, next])).toEqual([
      ["fork", ["executor"]],
      ["loop", []],
      ["loop", ["executor"]],
      ["input", ["__start__"]],
    ]);
    expect(await graph.invoke(new Command({ resume: "c" }), thread)).toMatchObject(asked("second?"));
    const answered = await graph.invoke(new Command({ resume: "d" }), thread);

    expect(answered).toEqual({ log: ["prepared", "first: c", "second: d"] });
    expect((await historyOf(graph, thread)).slice(-original.length)).toEqual(original);
    expect(original[0]?.values).toEqual({ log: ["prepared", "first: a", "second: b"] });
  });

  it("runs nothing again from the end of a thread", async () => {
    const runs: string[] = [];
    const graph = interview(suite, runs);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    await graph.invoke(new Command({ resume: "a" }), thread);
    await graph.invoke(new Command({ resume: "b" }), thread);
    const end = await graph.getState(thread);

    runs.length = 0;
    expect(await graph.invoke(null, end.config)).toEqual({ log: ["prepared", "first: a", "second: b"] });
    expect(runs).toEqual([]);
  });

  it("resumes at the head with or without its checkpoint id", async () => {
    const runs: string[] = [];
    const graph = interview(suite, runs);
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);
    const head = await graph.getState(thread);

    runs.length = 0;
    expect(await graph.invoke(new Command({ resume: "a" }), head.config)).toMatchObject(asked("second?"));
    expect(runs).toEqual(["first", "second"]);
  });
});
