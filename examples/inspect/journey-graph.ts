import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";
import type { Clock } from "./clock.js";

const State = Annotation.Root({
  city: Annotation<string>,
  days: Annotation<number>,
  plan: Annotation<string[]>({ reducer: (_, plan) => plan, default: () => [] }),
  price: Annotation<{ readonly euros: number; readonly per: "person" }>,
});

const SIGHTS = ["old town", "museum", "harbour", "market", "park", "tower"];

/** Plans a journey in three steps. It is made for what-ifs: each step depends on the values of the ones before. */
export function createJourneyGraph(checkpointer: CheckpointSaver, clock: Clock) {
  return new StateGraph(State)
    .addNode("choose_days", ({ days }) => {
      clock.now += 3_000;
      return { days: Math.max(days, 2) };
    })
    .addNode("plan_days", ({ city, days }) => {
      clock.now += 8_000;
      return { plan: SIGHTS.slice(0, days).map((sight, day) => `Day ${day + 1}: the ${sight} of ${city}`) };
    })
    .addNode("set_price", ({ days, plan }) => {
      clock.now += 1_000;
      return { price: { euros: days * 120 + plan.join("").length, per: "person" as const } };
    })
    .addEdge(START, "choose_days")
    .addEdge("choose_days", "plan_days")
    .addEdge("plan_days", "set_price")
    .compile({ checkpointer });
}
