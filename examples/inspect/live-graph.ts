import { setTimeout as pause } from "node:timers/promises";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { CheckpointSaver } from "../../src/index.js";

const State = Annotation.Root({
  measured: Annotation<number[]>({
    // The last minute is enough.
    reducer: (known, found) => [...known, ...found].slice(-40),
    default: () => [],
  }),
  decision: Annotation<string>,
});

const STEP_MS = 1_500;

/**
 * Runs a graph that measures and decides for ever, a step every 1.5 seconds, on the thread `live`.
 *
 * @param signal - Ends the run.
 */
export async function runLiveThread(checkpointer: CheckpointSaver, signal: AbortSignal): Promise<void> {
  const graph = new StateGraph(State)
    .addNode("measure", async ({ measured }) => {
      await pause(STEP_MS, undefined, { signal });
      return { measured: [Math.round(100 * Math.sin(measured.length / 3) + 20 * Math.random())] };
    })
    .addNode("decide", async ({ measured }) => {
      await pause(STEP_MS, undefined, { signal });
      return { decision: (measured.at(-1) ?? 0) > 0 ? "open the valve" : "close the valve" };
    })
    .addEdge(START, "measure")
    .addEdge("measure", "decide")
    .addEdge("decide", "measure")
    .compile({ checkpointer });
  const config = {
    configurable: { thread_id: "live" },
    metadata: { user: "sensor 3", channel: "machine", run_id: `live-${Date.now()}` },
    recursionLimit: Number.MAX_SAFE_INTEGER,
    durability: "sync" as const,
    signal,
  };
  try {
    await graph.invoke({ decision: "wait" }, config);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
