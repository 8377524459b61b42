import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { record } from "./sample-data.js";
import type { TimedScenario } from "./scenario.js";

const State = Annotation.Root({
  turn: Annotation<number>,
  /** The result of the last step. */
  finding: Annotation<Record<string, unknown>>,
  /** Grows by one entry per step, like a conversation. */
  log: Annotation<string[]>({ reducer: (log, entries) => [...log, ...entries], default: () => [] }),
});

/** A whole run of a graph, each time on a new thread. LangGraph's own time is part of it, the same for both savers. */
export const graphRun: TimedScenario = {
  cases: ({ quick }) => {
    const steps = quick ? 5 : 50;
    return [
      {
        name: `a run of LangGraph, ${steps} super-steps`,
        rounds: quick ? 1 : 16,
        prepare: () =>
          Promise.resolve((saver) => {
            const graph = loop(saver, steps);
            return async () => {
              const { turn } = await graph.invoke({ turn: 0 }, runConfig(steps));
              if (turn !== steps) throw new Error(`the run ended at step ${turn}`);
            };
          }),
      },
    ];
  },
};

function runConfig(steps: number) {
  return { ...threadConfig(newThread()), recursionLimit: steps + 10 };
}

function loop(checkpointer: Saver, steps: number) {
  return new StateGraph(State)
    .addNode("work", ({ turn }) => ({
      turn: turn + 1,
      finding: record(2_000, turn),
      log: [`turn ${turn}: found something`],
    }))
    .addEdge(START, "work")
    .addConditionalEdges("work", ({ turn }) => (turn < steps ? "work" : END), ["work", END])
    .compile({ checkpointer });
}
