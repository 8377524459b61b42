import { Annotation, Command, END, interrupt, Send, START, StateGraph } from "@langchain/langgraph";
import { threadConfig } from "../../test-support/checkpoints.js";
import { variedText } from "../scenarios/sample-data.js";
import type { Saver } from "../subjects.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (log, entries) => [...log, ...entries], default: () => [] }),
  note: Annotation<string>({ reducer: (_, note) => note, default: () => "" }),
});

/** What a run of a shape calls, on one thread. */
type Run = (saver: Saver, thread: string, turn: number) => Promise<unknown>;

/** The threads that the many of a database are copies of: what an agent, a fan-out, subgraphs and questions to people store. */
const SHAPES: Readonly<Record<string, Run>> = {
  chat: (saver, thread, turn) =>
    new StateGraph(State)
      .addNode("answer", () => said(turn + 1))
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: saver })
      .invoke(said(turn), threadConfig(thread)),
  tools: (saver, thread, turn) =>
    new StateGraph(State)
      .addNode("model", () => said(turn))
      .addNode("tool", () => said(turn + 1))
      .addNode("summary", () => said(turn + 2))
      .addEdge(START, "model")
      .addConditionalEdges("model", () => [1, 2, 3].map((nth) => new Send("tool", { note: String(nth) })))
      .addEdge("tool", "summary")
      .addEdge("summary", END)
      .compile({ checkpointer: saver })
      .invoke(said(turn), threadConfig(thread)),
  nested: (saver, thread, turn) => nesting(saver, turn, false).invoke(said(turn), threadConfig(thread)),
  lasting: (saver, thread, turn) => nesting(saver, turn, true).invoke(said(turn), threadConfig(thread)),
  asking: async (saver, thread, turn) => {
    const graph = new StateGraph(State)
      .addNode("ask", () => ({ log: [interrupt<string, string>("May I go on?")] }))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ checkpointer: saver });
    await graph.invoke(said(turn), threadConfig(thread));
    // The last turn waits for its answer.
    if (turn < TURNS - 1) await graph.invoke(new Command({ resume: "yes" }), threadConfig(thread));
  },
};

const TURNS = 3;

/** The thread of a shape that stores one turn after another. */
export function templateOf(shape: string, nth = 0): string {
  return `template ${shape} ${nth}`;
}

/** Lets LangGraph store so many threads of each shape. */
export async function storeShapes(saver: Saver, threadsOfEach: number): Promise<void> {
  for (const [shape, run] of Object.entries(SHAPES)) {
    for (let nth = 0; nth < threadsOfEach; nth++) {
      for (let turn = 0; turn < TURNS; turn++) await run(saver, templateOf(shape, nth), turn + nth);
    }
  }
}

/** A subgraph whose namespace is that of one call or, where it is `lasting`, of all calls on its thread. */
function nesting(saver: Saver, turn: number, isLasting: boolean) {
  const inner = new StateGraph(State)
    .addNode("research", () => said(turn + 1))
    .addEdge(START, "research")
    .addEdge("research", END)
    .compile(isLasting ? { checkpointer: true } : {});
  return new StateGraph(State)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .addEdge("inner", END)
    .compile({ checkpointer: saver });
}

function said(seed: number) {
  return { log: [variedText(200, seed)], note: variedText(600, seed + 1_000) };
}
