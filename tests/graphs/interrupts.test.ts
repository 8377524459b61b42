import { describe, expect, it } from "@jest/globals";
import { Annotation, Command, interrupt, INTERRUPT, Send, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { describeGraphs, type GraphSuite } from "./support/describe-graphs.js";
import { LogState, says } from "./support/log-state.js";

function asks(name: string) {
  return () => ({ log: [`${name}: ${String(interrupt(`${name}?`))}`] });
}

/** Two nodes that interrupt in one super-step, one that does not, and one that runs after all of them. */
function twoQuestions(suite: GraphSuite, runs: string[] = []) {
  return new StateGraph(LogState)
    .addNode("left", asks("left"))
    .addNode("right", asks("right"))
    .addNode("silent", () => {
      runs.push("silent");
      return { log: ["silent"] };
    })
    .addNode("after", says("after"))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .addEdge(START, "silent")
    .addEdge(["left", "right", "silent"], "after")
    .compile({ checkpointer: suite.saver });
}

const interrupted = z.object({
  [INTERRUPT]: z.array(z.object({ id: z.string(), value: z.string() })),
});

function questionsOf(result: unknown): { id: string; value: string }[] {
  return interrupted.parse(result)[INTERRUPT];
}

describeGraphs("an interrupt", (suite) => {
  it("stops the run, appears with its value in the state, and returns the resume value to the node", async () => {
    const graph = new StateGraph(LogState)
      .addNode("ask", asks("ask"))
      .addNode("after", says("after"))
      .addEdge(START, "ask")
      .addEdge("ask", "after")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();

    expect(questionsOf(await graph.invoke({ log: ["in"] }, thread))).toMatchObject([{ value: "ask?" }]);
    const state = await graph.getState(thread);
    expect(state.next).toEqual(["ask"]);
    expect(state.tasks).toMatchObject([{ name: "ask", interrupts: [{ value: "ask?" }] }]);
    const resumed = await graph.invoke(new Command({ resume: "yes" }), thread);
    expect(resumed).toEqual({ log: ["in", "ask: yes", "after"] });
    expect(await graph.getState(thread)).toMatchObject({ values: resumed, next: [], tasks: [] });
  });

  it("may be one of several in a node: each resume value answers the next, and earlier answers are kept", async () => {
    const graph = new StateGraph(LogState)
      .addNode("ask", () => ({ log: ["1", "2", "3"].map((n) => `${n}=${String(interrupt(n))}`) }))
      .addEdge(START, "ask")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();

    expect(questionsOf(await graph.invoke({ log: [] }, thread))).toMatchObject([{ value: "1" }]);
    const second = await graph.invoke(new Command({ resume: "a" }), thread);
    expect(questionsOf(second)).toMatchObject([{ value: "2" }]);
    const third = await graph.invoke(new Command({ resume: "b" }), thread);
    expect(questionsOf(third)).toMatchObject([{ value: "3" }]);
    const last = await graph.invoke(new Command({ resume: "c" }), thread);
    expect(last).toEqual({ log: ["1=a", "2=b", "3=c"] });
  });

  it("occurs again when the run is started again without an answer", async () => {
    const graph = twoQuestions(suite);
    const thread = suite.newThread();
    const first = questionsOf(await graph.invoke({ log: [] }, thread));

    expect(questionsOf(await graph.invoke(null, thread))).toEqual(first);
  });

  it("carries any value that a state may hold, and so does the resume value", async () => {
    const question = { at: new Date(0), seen: new Set(["a"]), sizes: new Map([["b", 2n]]) };
    const State = Annotation.Root({ answer: Annotation<unknown> });
    const graph = new StateGraph(State)
      .addNode("ask", () => ({ answer: interrupt<unknown, unknown>(question) }))
      .addEdge(START, "ask")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();

    await graph.invoke({ answer: null }, thread);
    const { tasks } = await graph.getState(thread);
    expect(tasks).toMatchObject([{ interrupts: [{ value: question }] }]);
    await graph.invoke(new Command({ resume: question }), thread);
    expect(await graph.getState(thread)).toMatchObject({ values: { answer: question } });
  });

  describe("in parallel to another in one super-step", () => {
    it("is stored with it: the state shows both, and one resume map answers both", async () => {
      const graph = twoQuestions(suite);
      const thread = suite.newThread();

      const questions = questionsOf(await graph.invoke({ log: [] }, thread));
      expect(questions.map(({ value }) => value).sort()).toEqual(["left?", "right?"]);
      const resume = Object.fromEntries(questions.map(({ id, value }) => [id, `yes, ${value}`]));
      expect(await graph.invoke(new Command({ resume }), thread)).toEqual({
        log: ["left: yes, left?", "right: yes, right?", "silent", "after"],
      });
    });

    it("stays open until it is answered, and earlier answers are kept", async () => {
      const graph = twoQuestions(suite);
      const thread = suite.newThread();
      const [one, other] = questionsOf(await graph.invoke({ log: [] }, thread));

      const between = await graph.invoke(new Command({ resume: { [one?.id ?? ""]: "first" } }), thread);
      expect(questionsOf(between)).toEqual([other]);
      const { log } = await graph.invoke(new Command({ resume: { [other?.id ?? ""]: "second" } }), thread);

      const [oneName, otherName] = [one, other].map((question) => question?.value.replace("?", "") ?? "");
      expect(log).toContain(`${oneName ?? ""}: first`);
      expect(log).toContain(`${otherName ?? ""}: second`);
    });

    it("does not run a finished node again", async () => {
      const runs: string[] = [];
      const graph = twoQuestions(suite, runs);
      const thread = suite.newThread();
      const questions = questionsOf(await graph.invoke({ log: [] }, thread));

      await graph.invoke(
        new Command({ resume: Object.fromEntries(questions.map(({ id }) => [id, "yes"])) }),
        thread,
      );

      expect(runs).toEqual(["silent"]);
    });

    it("is distinguished from an equal interrupt of another task", async () => {
      const State = Annotation.Root({ ...LogState.spec, item: Annotation<string> });
      const graph = new StateGraph(State)
        .addNode("worker", ({ item }) => ({ log: [`${item}: ${String(interrupt("ok?"))}`] }))
        .addConditionalEdges(START, () => ["a", "b", "c"].map((item) => new Send("worker", { item })), [
          "worker",
        ])
        .compile({ checkpointer: suite.saver });
      const thread = suite.newThread();
      const questions = questionsOf(await graph.invoke({ log: [] }, thread));
      expect(new Set(questions.map(({ id }) => id)).size).toBe(3);

      const resume = Object.fromEntries(questions.map(({ id }, index) => [id, index]));
      const { log } = await graph.invoke(new Command({ resume }), thread);

      expect([...log].sort()).toEqual(["a: 0", "b: 1", "c: 2"]);
    });
  });

  it("can be answered by a Command with an update and a goto", async () => {
    const graph = new StateGraph(LogState)
      .addNode("ask", asks("ask"), { ends: ["aside"] })
      .addNode("aside", says("aside"))
      .addEdge(START, "ask")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    await graph.invoke({ log: [] }, thread);

    const { log } = await graph.invoke(
      new Command({ resume: "yes", update: { log: ["update"] }, goto: "aside" }),
      thread,
    );

    expect([...log].sort()).toEqual(["aside", "ask: yes", "update"]);
    expect(log[0]).toBe("update");
  });

  it("set before a node stops the run there, and the state may be updated before the run is resumed", async () => {
    const graph = new StateGraph(LogState)
      .addNode("first", says("first"))
      .addNode("second", says("second"))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .compile({ checkpointer: suite.saver, interruptBefore: ["second"] });
    const thread = suite.newThread();

    expect(await graph.invoke({ log: [] }, thread)).toMatchObject({ log: ["first"] });
    await graph.updateState(thread, { log: ["edited"] });
    expect((await graph.getState(thread)).next).toEqual(["second"]);
    expect(await graph.invoke(null, thread)).toEqual({ log: ["first", "edited", "second"] });
  });
});
