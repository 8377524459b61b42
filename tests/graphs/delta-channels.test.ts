import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  DeltaChannel,
  interrupt,
  type Messages,
  messagesDeltaReducer,
  messagesStateReducer,
  Overwrite,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { BaseCheckpointSaver, isDeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { describeGraphs, type GraphSuite, type Thread } from "./support/describe-graphs.js";
import { historyOf, stateBefore } from "./support/history.js";

function append(current: string[], writes: string[][]): string[] {
  return [...current, ...writes.flat()];
}

/** Writes every marker to a delta channel and to a plain channel, which must always have the same value. */
function bothState(snapshotFrequency = 1000) {
  return Annotation.Root({
    delta: new DeltaChannel<string[], string[]>(append, { snapshotFrequency }),
    plain: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
  });
}

function both(marker: string) {
  return { delta: [marker], plain: [marker] };
}

function chat(suite: GraphSuite, snapshotFrequency?: number) {
  return new StateGraph(bothState(snapshotFrequency))
    .addNode("reply", ({ plain }) => both(`reply to ${plain.at(-1) ?? ""}`))
    .addNode("close", () => both("close"))
    .addEdge(START, "reply")
    .addEdge("reply", "close")
    .compile({ checkpointer: suite.saver });
}

async function expectAlike(graph: ReturnType<typeof chat>, thread: Thread): Promise<void> {
  const history = await historyOf(graph, thread);
  const deltas = history.map(({ values }: { values: { delta?: string[] } }) => values.delta ?? []);
  const plains = history.map(({ values }: { values: { plain?: string[] } }) => values.plain ?? []);
  expect(deltas).toEqual(plains);
}

async function snapshotsOf(suite: GraphSuite, thread: Thread): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { checkpoint } of suite.saver.list(thread)) {
    if ("delta" in checkpoint.channel_values) found.push(checkpoint.channel_values.delta);
  }
  return found;
}

/** LangGraph.js before 1.5 stores no task paths, and loses the order of parallel writes when it stores them at the end. */
async function hasTaskPaths(suite: GraphSuite, { configurable }: Thread): Promise<boolean> {
  const stats = await suite.saver.taskStats(configurable.thread_id);
  return stats.some(({ taskPath }) => taskPath !== "");
}

describeGraphs("a delta channel", (suite) => {
  describe.each(["sync", "async", "exit"] as const)("with durability %s", (durability) => {
    it("has the value of a plain channel at every step of several runs", async () => {
      const thread = suite.newThread();
      for (const question of ["one", "two", "three"]) {
        await chat(suite).invoke(both(question), { ...thread, durability });
      }

      await expectAlike(chat(suite), thread);
      const state = await chat(suite).getState(thread);
      expect(state.values).toMatchObject({
        delta: ["one", "two", "three"].flatMap((name) => [name, `reply to ${name}`, "close"]),
      });
    });

    it.each(["with", "without"])(
      "keeps the order of the writes of several nodes in one super-step, %s an Overwrite",
      async (overwrite) => {
        const last = overwrite === "with" ? new Overwrite(["last"]) : ["last"];
        const build = () =>
          new StateGraph(bothState())
            .addNode("left", () => both("left"))
            .addNode("middle", () => both("middle"))
            .addNode("last", () => ({ delta: last, plain: ["last"] }))
            .addEdge(START, "left")
            .addEdge(START, "middle")
            .addEdge(START, "last")
            .compile({ checkpointer: suite.saver });
        const threads = Array.from({ length: 4 }, () => suite.newThread());

        for (const thread of threads) {
          const live = await build().invoke(both("in"), { ...thread, durability });
          const { delta } = (await build().getState(thread)).values as typeof live;
          const hasOrder = durability !== "exit" || (await hasTaskPaths(suite, thread));
          expect(delta).toEqual(hasOrder ? live.delta : expect.arrayContaining(live.delta));
          expect(live.delta.includes("in")).toBe(overwrite === "without");
        }
      },
    );

    it("keeps writes from before an interrupt when the run is resumed", async () => {
      const graph = new StateGraph(bothState())
        .addNode("before", () => both("before"))
        .addNode("ask", () => both(String(interrupt("?"))))
        .addNode("after", () => both("after"))
        .addEdge(START, "before")
        .addEdge("before", "ask")
        .addEdge("ask", "after")
        .compile({ checkpointer: suite.saver });
      const thread = suite.newThread();
      await graph.invoke(both("in"), { ...thread, durability });

      await graph.invoke(new Command({ resume: "yes" }), { ...thread, durability });

      const expected = ["in", "before", "yes", "after"];
      expect((await graph.getState(thread)).values).toEqual({ delta: expected, plain: expected });
    });
  });

  it("is stored as writes, and as a snapshot only at the configured frequency", async () => {
    const [never, often] = [suite.newThread(), suite.newThread()];
    for (const question of ["one", "two", "three", "four"]) {
      await chat(suite).invoke(both(question), never);
      await chat(suite, 2).invoke(both(question), often);
    }

    expect(await snapshotsOf(suite, never)).toEqual([]);
    const snapshots = await snapshotsOf(suite, often);
    expect(snapshots.length).toBeGreaterThan(0);
    expect(snapshots.every(isDeltaSnapshot)).toBe(true);
    await expectAlike(chat(suite), never);
    await expectAlike(chat(suite, 2), often);
  });

  it("is read in one statement with the result of LangGraph's own walk over the parents, on every branch", async () => {
    const graph = chat(suite, 3);
    const thread = suite.newThread();
    await graph.invoke(both("one"), thread);
    await graph.invoke(both("two"), thread);
    const base = await stateBefore(graph, thread, "close");
    const forked = await graph.updateState(base.config, both("edited"));
    await graph.invoke(null, forked);
    await graph.invoke(both("three"), thread);

    const history = await historyOf(graph, thread);
    expect(history.length).toBeGreaterThan(12);
    for (const { config } of history) {
      const request = { config, channels: ["delta", "plain"] };
      expect(await suite.saver.getDeltaChannelHistory(request)).toEqual(
        await BaseCheckpointSaver.prototype.getDeltaChannelHistory.call(suite.saver, request),
      );
    }
  });

  it("continues from the value of a plain channel of the same name", async () => {
    const Plain = Annotation.Root({
      messages: Annotation<BaseMessage[], Messages>({ reducer: messagesStateReducer, default: () => [] }),
    });
    const Delta = Annotation.Root({
      messages: new DeltaChannel<BaseMessage[], Messages>(messagesDeltaReducer),
    });
    const answer = (messages: readonly BaseMessage[]) => ({
      messages: [new AIMessage({ id: `ai-${messages.length}`, content: `reply ${messages.length}` })],
    });
    const plain = new StateGraph(Plain)
      .addNode("reply", ({ messages }) => answer(messages))
      .addEdge(START, "reply")
      .compile({ checkpointer: suite.saver });
    const delta = new StateGraph(Delta)
      .addNode("reply", ({ messages }) => answer(messages))
      .addEdge(START, "reply")
      .compile({ checkpointer: suite.saver });
    const thread = suite.newThread();
    const question = (id: string) => ({ messages: [new HumanMessage({ id, content: id })] });
    await plain.invoke(question("a"), thread);

    await delta.invoke(question("b"), thread);
    await delta.invoke(question("c"), thread);

    expect((await delta.getState(thread)).values).toMatchObject({
      messages: ["a", "reply 1", "b", "reply 3", "c", "reply 5"].map((content) => ({ content })),
    });
  });
});
