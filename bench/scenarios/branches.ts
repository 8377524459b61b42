import { isDeepStrictEqual } from "node:util";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";
import { inNewDatabase } from "./in-new-database.js";
import type { Fact, FactScenario } from "./scenario.js";

const State = Annotation.Root({ answer: Annotation<string> });

/** A graph that a person takes back to one checkpoint twice, to continue differently each time. */
export const branches: FactScenario = {
  name: "branches",
  observe: (subject, server) => inNewDatabase(subject, server, async (saver) => [await forkTwice(saver)]),
};

async function forkTwice(checkpointer: Saver): Promise<Fact> {
  const graph = new StateGraph(State)
    .addNode("ask", () => ({ answer: "none yet" }))
    .addEdge(START, "ask")
    .compile({ checkpointer });
  const thread = threadConfig(newThread());
  await graph.invoke({ answer: "" }, thread);
  const fork = (await graph.getState(thread)).config;
  const answers = ["yes", "no"];
  const forked = [];
  for (const answer of answers) forked.push(await graph.updateState(fork, { answer }));
  let own = 0;
  for (const [index, config] of forked.entries()) {
    const state = await graph.getState(config);
    if (isDeepStrictEqual(state.values, { answer: answers[index] })) own++;
  }
  return { name: "branches forked from one checkpoint that read their own value, of 2", answer: own };
}
