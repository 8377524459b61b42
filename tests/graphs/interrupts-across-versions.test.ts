import { expect, it } from "@jest/globals";
import * as current from "@langchain/langgraph";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import * as langgraphOldest from "langgraph-oldest";
import { z } from "zod";
import { describeGraphs } from "./support/describe-graphs.js";

type Engine = typeof current;

// The two versions declare different classes, which TypeScript considers unrelated.
const oldest = z.custom<Engine>().parse(langgraphOldest);

// From 1.7 on all interrupts of a task are one write, a list. Before, each interrupt is a write that replaces the one before.
const ENGINES: Readonly<Record<string, Engine>> = {
  "the oldest version": oldest,
  "the newest version": current,
};

/** A node with an interrupt, and in parallel a subgraph in which two nodes interrupt in one super-step. */
function asking({ Annotation, interrupt, START, StateGraph }: Engine, checkpointer: BaseCheckpointSaver) {
  const State = Annotation.Root({
    log: Annotation<string[]>({ reducer: (log, added) => [...log, ...added], default: () => [] }),
  });
  const asks = (name: string) => () => ({ log: [`${name}: ${String(interrupt({ of: name }))}`] });
  const inner = new StateGraph(State)
    .addNode("left", asks("left"))
    .addNode("right", asks("right"))
    .addEdge(START, "left")
    .addEdge(START, "right")
    .compile();
  return new StateGraph(State)
    .addNode("inner", inner)
    .addNode("outer", asks("outer"))
    .addEdge(START, "inner")
    .addEdge(START, "outer")
    .compile({ checkpointer });
}

/** Removes the ids of interrupts, which depend on the ids of checkpoints and so differ from run to run. */
function withoutIds(tasks: unknown): unknown {
  return JSON.parse(JSON.stringify(tasks, (key, value: unknown) => (key === "id" ? typeof value : value)));
}

describeGraphs("an interrupt of one version of LangGraph.js in another", (suite) => {
  it.each(
    Object.keys(ENGINES).flatMap((asker) =>
      Object.keys(ENGINES).map((answerer) => [asker, answerer] as const),
    ),
  )("from %s in %s is the same as with LangGraph's in-memory saver", async (asker, answerer) => {
    const thread = suite.newThread();
    const seen = await Promise.all(
      [suite.saver, new MemorySaver()].map(async (saver) => {
        const before = asking(ENGINES[asker] ?? current, saver);
        const after = asking(ENGINES[answerer] ?? current, saver);
        const asked = await before.invoke({ log: ["in"] }, thread);
        const shown = (await after.getState(thread)).tasks.map(({ name, interrupts }) => ({
          name,
          interrupts,
        }));
        const answered = await after.invoke(new current.Command({ resume: "yes" }), thread);
        return withoutIds({ asked, shown, answered });
      }),
    );
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({ shown: [{ name: "inner" }, { name: "outer" }] });
  });
});
