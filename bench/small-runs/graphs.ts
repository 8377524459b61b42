import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import type { Saver } from "../subjects.js";

/** A graph of two or three nodes, whose own work takes no time. */
export interface SmallGraph {
  /** The calls that a run on one thread consists of, in their order. */
  readonly calls: readonly SmallCall[];
  /** The nodes that a complete run has visited. */
  readonly visits: readonly string[];
  readonly compile: (checkpointer: Saver) => Invoke;
}

/** One call of `invoke`. */
export interface SmallCall {
  /** What distinguishes the call from the others of a run, after the name of the run. */
  readonly what: string;
  readonly input: Input;
}

type Input = { readonly count: number } | Command<unknown, Record<string, unknown>, never>;

/** Runs a graph, and returns the nodes that the thread has visited. */
export type Invoke = (input: Input, config: RunnableConfig) => Promise<readonly string[]>;

const State = Annotation.Root({
  count: Annotation<number>({ reducer: (sum, more) => sum + more, default: () => 0 }),
  log: Annotation<string[]>({ reducer: (log, entries) => [...log, ...entries], default: () => [] }),
});

const FIRST = { count: 1 };
const RUN: readonly SmallCall[] = [{ what: "", input: FIRST }];

/** Two nodes, one after the other. */
export const FLAT: SmallGraph = {
  calls: RUN,
  visits: ["one", "two"],
  compile: twoNodes(visited("one")),
};

/** A node, and then a subgraph of two nodes, which has checkpoints of its own. */
export const NESTED: SmallGraph = {
  calls: RUN,
  // The state of the subgraph includes the visit before it.
  visits: ["one", "one", "inner one", "inner two"],
  compile: (checkpointer) => {
    const inner = new StateGraph(State)
      .addNode("inner one", visited("inner one"))
      .addNode("inner two", visited("inner two"))
      .addEdge(START, "inner one")
      .addEdge("inner one", "inner two")
      .addEdge("inner two", END)
      .compile();
    const graph = new StateGraph(State)
      .addNode("one", visited("one"))
      .addNode("inner", inner)
      .addEdge(START, "one")
      .addEdge("one", "inner")
      .addEdge("inner", END)
      .compile({ checkpointer });
    return async (input, config) => (await graph.invoke(input, config)).log;
  },
};

/** A node that asks a person, and one after the answer. */
export const ASKING: SmallGraph = {
  calls: [
    { what: ", until it asks", input: FIRST },
    { what: ", resumed", input: new Command({ resume: "one" }) },
  ],
  visits: ["one", "two"],
  compile: twoNodes(() => ({ log: [interrupt<string, string>("May I go on?")] })),
};

function twoNodes(one: () => typeof State.Update): SmallGraph["compile"] {
  return (checkpointer) => {
    const graph = new StateGraph(State)
      .addNode("one", one)
      .addNode("two", visited("two"))
      .addEdge(START, "one")
      .addEdge("one", "two")
      .addEdge("two", END)
      .compile({ checkpointer });
    return async (input, config) => (await graph.invoke(input, config)).log;
  };
}

function visited(node: string) {
  return () => ({ count: 1, log: [node] });
}
