import { describe, expect, it } from "@jest/globals";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { Annotation, Command, DeltaChannel, interrupt, START, StateGraph } from "@langchain/langgraph";
import { ConcurrentModificationError, ThreadDeletedError } from "../../src/index.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { describeGraphs, type GraphSuite } from "./support/describe-graphs.js";
import { historyOf, stateBefore, type WithHistory } from "./support/history.js";
import { LogState, says } from "./support/log-state.js";
import { SimultaneousReadsSaver } from "./support/simultaneous-reads-saver.js";

const BOTH = { concurrency: "optimistic", keepTombstones: true } as const;
const DURABILITIES = ["sync", "async", "exit"] as const;

/** Three steps with an interrupt in the second. */
function asking(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode("one", says("one"))
    .addNode("ask", () => ({ log: [`answer ${String(interrupt("?"))}`] }))
    .addNode("three", says("three"))
    .addEdge(START, "one")
    .addEdge("one", "ask")
    .addEdge("ask", "three")
    .compile({ checkpointer });
}

function steps(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode("one", says("one"))
    .addNode("two", says("two"))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer });
}

/** Expects that each checkpoint of a thread is the parent of the next, and returns the number of checkpoints. */
async function lengthOfLine(graph: WithHistory, thread: { configurable: object }): Promise<number> {
  const history = await historyOf(graph, thread);
  const idOf = (config?: { configurable?: Record<string, unknown> }): unknown =>
    config?.configurable?.checkpoint_id;
  expect(history.map(({ parentConfig }) => idOf(parentConfig))).toEqual([
    ...history.slice(1).map(({ config }) => idOf(config)),
    undefined,
  ]);
  return history.length;
}

describeGraphs(
  "a graph with optimistic concurrency and write rules",
  (suite: GraphSuite) => {
    describe.each(DURABILITIES)("with durability %s", (durability) => {
      it("runs, interrupts, is resumed and runs again on one branch", async () => {
        const graph = asking(suite.saver);
        const thread = suite.newThread();
        for (const answer of ["a", "b"]) {
          await graph.invoke({ log: ["in"] }, { ...thread, durability });
          const { log } = await graph.invoke(new Command({ resume: answer }), { ...thread, durability });
          expect(log.slice(-4)).toEqual(["in", "one", `answer ${answer}`, "three"]);
        }
        await lengthOfLine(graph, thread);
      });

      it("begins threads with a delta channel, whose first two checkpoints may arrive in either order", async () => {
        const state = Annotation.Root({
          delta: new DeltaChannel<string[], string[]>((current, writes) => [...current, ...writes.flat()]),
        });
        const graph = new StateGraph(state)
          .addNode("one", () => ({ delta: ["one"] }))
          .addEdge(START, "one")
          .compile({ checkpointer: suite.saver });
        const threads = Array.from({ length: 10 }, () => suite.newThread());
        await Promise.all(
          threads.map((thread) => graph.invoke({ delta: ["in"] }, { ...thread, durability })),
        );
        for (const thread of threads) {
          expect((await graph.getState(thread)).values).toEqual({ delta: ["in", "one"] });
        }
      });
    });

    it("can be updated during an interrupt, and continues from the update", async () => {
      const graph = asking(suite.saver);
      const thread = suite.newThread();
      await graph.invoke({ log: [] }, thread);
      await graph.updateState(thread, { log: ["by hand"] }, "one");
      await graph.updateState(thread, { log: ["as ask"] }, "ask");
      expect(await graph.invoke(null, thread)).toEqual({ log: ["one", "by hand", "as ask", "three"] });
      await graph.bulkUpdateState(thread, [
        { updates: [{ values: { log: ["bulk"] }, asNode: "one" }] },
        { updates: [{ values: { log: ["more"] }, asNode: "ask" }] },
      ]);
      expect((await graph.getState(thread)).next).toEqual(["three"]);
    });

    it("continues from a past state, which LangGraph forks", async () => {
      const graph = asking(suite.saver);
      const thread = suite.newThread();
      await graph.invoke({ log: [] }, thread);
      await graph.invoke(new Command({ resume: "first" }), thread);
      const past = await stateBefore(graph, thread, "ask");
      expect(await graph.invoke(null, past.config)).toMatchObject({ __interrupt__: [{ value: "?" }] });
      const { log } = await graph.invoke(new Command({ resume: "second" }), thread);
      expect(log).toEqual(["one", "answer second", "three"]);
    });

    it("accepts new input in a forked past state, and refuses it in one that was not forked", async () => {
      const graph = steps(suite.saver);
      const thread = suite.newThread();
      await graph.invoke({ log: ["first"] }, thread);
      const past = await stateBefore(graph, thread, "two");
      const length = await lengthOfLine(graph, thread);
      const refused = graph.invoke({ log: ["second"] }, past.config);
      await expect(refused).rejects.toBeInstanceOf(ConcurrentModificationError);
      expect(await lengthOfLine(graph, thread)).toBe(length);

      const fork = await graph.updateState(past.config, null);
      const { log } = await graph.invoke({ log: ["second"] }, fork);
      expect(log).toEqual(["first", "one", "second", "one", "two"]);
      expect((await graph.getState(thread)).values).toEqual({ log });
    });

    it.each([undefined, true])(
      "replays a subgraph that was compiled with checkpointer: %s",
      async (memory) => {
        const inner = new StateGraph(LogState)
          .addNode("prepare", says("prepare"))
          .addNode("deep", () => ({ log: [`deep ${String(interrupt("?"))}`] }))
          .addEdge(START, "prepare")
          .addEdge("prepare", "deep")
          .compile(memory === undefined ? {} : { checkpointer: memory });
        const graph = new StateGraph(LogState)
          .addNode("before", says("before"))
          .addNode("inner", inner)
          .addEdge(START, "before")
          .addEdge("before", "inner")
          .compile({ checkpointer: suite.saver });
        const thread = suite.newThread();
        for (const answer of ["one", "two"]) {
          await graph.invoke({ log: [] }, thread);
          await graph.invoke(new Command({ resume: answer }), thread);
        }
        const [second, first] = (await historyOf(graph, thread)).filter(({ next }) => next.includes("inner"));
        for (const past of [first, second]) {
          const replayed = await graph.invoke(null, { ...past?.config });
          expect(replayed).toMatchObject({ __interrupt__: [{ value: "?" }] });
        }
        expect((await graph.invoke(new Command({ resume: "again" }), thread)).log.at(-1)).toBe("deep again");
      },
    );

    it("fails with a typed error if its thread is deleted during the run, and stores nothing more", async () => {
      const thread = suite.newThread();
      const graph = new StateGraph(LogState)
        .addNode("one", says("one"))
        .addNode("delete", async () => {
          await suite.saver.deleteThread(thread.configurable.thread_id);
          return { log: ["deleted"] };
        })
        .addEdge(START, "one")
        .addEdge("one", "delete")
        .compile({ checkpointer: suite.saver });
      const run = graph.invoke({ log: ["in"] }, { ...thread, durability: "sync" });
      await expect(run).rejects.toBeInstanceOf(ThreadDeletedError);
      expect(await historyOf(graph, thread)).toEqual([]);
    });
  },
  ["MessagePack"],
  BOTH,
);

describeAnyTarget("two concurrent runs of a thread", (target) => {
  it.each(DURABILITIES)(
    "with optimistic concurrency and durability %s: one of them fails",
    async (durability) => {
      const { source } = await target.migratedDatabase();
      for (const isNew of [true, false]) {
        await using saver = new SimultaneousReadsSaver(source, undefined, { concurrency: "optimistic" });
        const graph = steps(saver);
        const thread = { configurable: { thread_id: `${durability} ${String(isNew)}` } };
        if (!isNew) {
          await using other = new SimultaneousReadsSaver(source);
          await Promise.all([steps(other).invoke({ log: ["old"] }, thread), other.getTuple(thread)]);
        }
        const outcomes = await Promise.allSettled(
          ["left", "right"].map((side) => graph.invoke({ log: [side] }, { ...thread, durability })),
        );
        const won = outcomes.findIndex(({ status }) => status === "fulfilled");
        expect(outcomes[1 - won]).toMatchObject({
          status: "rejected",
          reason: { code: "CONCURRENT_MODIFICATION" },
        });
        await lengthOfLine(graph, thread);
        const { log } = (await graph.getState(thread)).values as { log: string[] };
        expect(log).toEqual([...(isNew ? [] : ["old", "one", "two"]), ["left", "right"][won], "one", "two"]);
      }
    },
  );
});
