import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";
import type { Clock } from "./clock.js";

const State = Annotation.Root({
  region: Annotation<string>,
  sales: Annotation<Readonly<Record<string, number>>>,
  summary: Annotation<string>,
});

/** A report whose second step fails. */
export function createReportGraph(checkpointer: CheckpointSaver, clock: Clock) {
  return new StateGraph(State)
    .addNode("load_sales", () => {
      clock.now += 12_000;
      return { sales: { "2026-09": 48_210, "2026-10": 51_877, "2026-11": 12_004 } };
    })
    .addNode("summarize", (): typeof State.Update => {
      clock.now += 30_000;
      throw new RangeError("the model refuses more than 8,192 tokens, and the prompt has 9,310");
    })
    .addEdge(START, "load_sales")
    .addEdge("load_sales", "summarize")
    .compile({ checkpointer });
}
