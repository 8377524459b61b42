import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  Annotation,
  Command,
  END,
  entrypoint,
  interrupt,
  Send,
  START,
  StateGraph,
  type StateSnapshot,
  task,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import { openedSaverOf } from "../../src/checkpoint-saver.js";
import { inspectorContext } from "../../src/inspector/inspector-context.js";
import { readStates } from "../../src/inspector/states/read-states.js";
import { PostgresSaver } from "../../src/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeServer, ON_CITUS } from "../../test-support/targets.js";

const Log = Annotation.Root({
  log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

const says = (name: string) => () => ({ log: [name] });
const fails = (name: string) => (): { log: string[] } => {
  throw new Error(`${name} fails`);
};
const asks = (name: string) => () => ({ log: [String(interrupt(name)), String(interrupt(`${name} again`))] });

interface TestGraph {
  invoke(input: unknown, thread: RunnableConfig): Promise<unknown>;
  getState(thread: RunnableConfig): Promise<StateSnapshot>;
  getStateHistory(thread: RunnableConfig): AsyncIterable<StateSnapshot>;
}

/** Graphs that end, wait or fail in all the ways that tell on what runs next. */
const GRAPHS: Record<string, (checkpointer: BaseCheckpointSaver) => TestGraph> = {
  sequence: (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addNode("c", says("c"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile({ checkpointer }),
  "interrupt before a node": (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer, interruptBefore: ["b"] }),
  "interrupt after a node": (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer, interruptAfter: ["a"] }),
  branches: (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addNode("c", fails("c"))
      .addConditionalEdges(START, () => ["a", "c"], ["a", "b", "c"])
      .addConditionalEdges("a", () => "b", ["b", END])
      .compile({ checkpointer }),
  "a join of which one has failed": (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("slow", says("slow"))
      .addNode("b", fails("b"))
      .addNode("c", says("c"))
      .addEdge(START, "a")
      .addEdge(START, "slow")
      .addEdge("slow", "b")
      .addEdge(["a", "b"], "c")
      .compile({ checkpointer }),
  "a join that is complete": (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addNode("c", says("c"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(["a", "b"], "c")
      .compile({ checkpointer, interruptBefore: ["c"] }),
  "Sends of which one has failed": (checkpointer) =>
    new StateGraph(Log)
      .addNode("plan", says("plan"))
      .addNode("work", ({ log }: { log: string[] }) =>
        log.includes("bad") ? fails("work")() : says("work")(),
      )
      .addNode("sum", says("sum"))
      .addEdge(START, "plan")
      .addConditionalEdges(
        "plan",
        () => ["good", "bad", "fine"].map((name) => new Send("work", { log: [name] })),
        ["work"],
      )
      .addEdge("work", "sum")
      .compile({ checkpointer }),
  "an interrupt in a node": (checkpointer) =>
    new StateGraph(Log)
      .addNode("ask", asks("ask"))
      .addNode("other", says("other"))
      .addNode("after", says("after"))
      .addEdge(START, "ask")
      .addEdge(START, "other")
      .addEdge(["ask", "other"], "after")
      .compile({ checkpointer }),
  "a deferred node": (checkpointer) =>
    new StateGraph(Log)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addNode("last", says("last"), { defer: true })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("a", "last")
      .addEdge("b", "last")
      .compile({ checkpointer }),
  "a subgraph with an interrupt": (checkpointer) =>
    new StateGraph(Log)
      .addNode("inner", new StateGraph(Log).addNode("ask", asks("ask")).addEdge(START, "ask").compile())
      .addNode("after", says("after"))
      .addEdge(START, "inner")
      .addEdge("inner", "after")
      .compile({ checkpointer }),
  "an entrypoint": (checkpointer) => {
    const step = task("step", (name: string) => `${name}!`);
    return entrypoint({ checkpointer, name: "flow" }, async ({ log }: { log: string[] }) => ({
      log: [await step(log[0] ?? ""), String(interrupt("go on?"))],
    }));
  },
};

describeServer("what runs next, without the graph", (target) => {
  let saver: PostgresSaver;
  let official: OfficialSaver;
  beforeAll(async () => {
    const { source } = await target.migratedDatabase();
    saver = new PostgresSaver(source);
    official = OfficialSaver.fromConnString(source);
  });
  afterAll(async () => {
    await official.end();
    await saver.end();
  });

  describe.each(Object.entries(GRAPHS))("%s", (name, build) => {
    // Citus refuses the official saver's statements.
    // The official saver does not store which node a task is of. So the name of an entrypoint is unknown until it has run to its end.
    it.each(name === "an entrypoint" || ON_CITUS ? ["ours"] : ["ours", "official"])(
      "is what getState says at every checkpoint: rows of %s",
      async (writer) => {
        const graph = build(writer === "ours" ? saver : official);
        const thread = { configurable: { thread_id: `${name} by ${writer}` } };
        await graph.invoke({ log: ["in"] }, thread).catch(() => undefined);

        const compare = async (): Promise<void> => {
          const { next, tasks } = await graph.getState(thread);
          const calls = new InspectorCalls(saver);
          const view = await calls.read("thread", { threadId: thread.configurable.thread_id });
          const [root] = view.namespaces;
          // getState leaves out a node that was interrupted again after an answer.
          const waiting = tasks.filter(({ interrupts }) => interrupts.length > 0).map((task) => task.name);
          const again = waiting.filter((node) => !next.includes(node));
          expect([...(root?.next ?? [])].sort()).toEqual([...next, ...again].sort());
          const failed = tasks.some(({ error }) => error !== undefined);
          const interrupted = tasks.some(({ interrupts }) => interrupts.length > 0);
          expect(root?.status).toBe(
            failed ? "failed" : interrupted ? "interrupted" : next.length > 0 ? "pending" : "done",
          );
          for await (const state of graph.getStateHistory(thread)) {
            const checkpointId = String(state.config.configurable?.checkpoint_id);
            const place = { threadId: view.threadId, namespace: "", checkpointId };
            const [found] = await readStates(runOf(saver), [place], { isOlder: true });
            expect({ id: checkpointId, next: [...(found?.next ?? [])].sort() }).toEqual({
              id: checkpointId,
              next: [...state.next].sort(),
            });
          }
        };
        await compare();
        const { tasks } = await graph.getState(thread);
        await graph
          .invoke(
            tasks.some(({ interrupts }) => interrupts.length > 0) ? new Command({ resume: "yes" }) : null,
            thread,
          )
          .catch(() => undefined);
        await compare();
      },
    );
  });
});

function runOf(saver: PostgresSaver) {
  const options = {
    authorize: () => true,
    write: false,
    basePath: "",
    store: undefined,
    audit: undefined,
    graphs: undefined,
    graphOf: undefined,
  };
  const context = inspectorContext(openedSaverOf(saver), saver, options);
  return { context, call: context.call, signal: new AbortController().signal };
}
