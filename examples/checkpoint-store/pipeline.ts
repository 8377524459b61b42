import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { type CheckpointStore, recordCheckpoints } from "../../src/checkpoint-store/index.js";

const Process = Annotation.Root({
  step: Annotation<number>,
  data: Annotation<string>,
  history: Annotation<string[]>({ reducer: (all, added) => [...all, ...added], default: () => [] }),
});

/** The state of the pipeline, which every checkpoint holds. */
export type ProcessState = typeof Process.State;

/** The pipeline of langgraphgo's example: three steps, each of which notes that it ran. */
export function createPipeline() {
  const step = (n: number) => (state: ProcessState) => {
    console.log(`Executing Step ${n}...`);
    return { step: n, data: `${state.data} → Step${n}`, history: [`Completed Step ${n}`] };
  };
  return new StateGraph(Process)
    .addNode("step1", step(1))
    .addNode("step2", step(2))
    .addNode("step3", step(3))
    .addEdge(START, "step1")
    .addEdge("step1", "step2")
    .addEdge("step2", "step3")
    .compile();
}

/**
 * Runs the pipeline with a checkpoint after each step, lists the checkpoints, and continues after the second one. This is langgraphgo's
 * `examples/checkpointing`, except that resuming there only loads the state.
 *
 * @param store - Where the checkpoints are stored. It is left open.
 */
export async function playPipeline(store: CheckpointStore): Promise<void> {
  await store.setup();
  const recorded = recordCheckpoints(createPipeline(), { store, maxCheckpoints: 5 });

  console.log("=== Starting execution with checkpointing ===");
  const final = await recorded.invoke({ step: 0, data: "Start", history: ["Initialized"] });
  console.log(`Final Step: ${final.step}\nFinal Data: ${final.data}\nHistory: ${final.history.join(", ")}`);

  const checkpoints = await recorded.listCheckpoints();
  console.log(`=== Created ${checkpoints.length} checkpoints ===`);
  for (const { id, nodeName, version, timestamp } of checkpoints) {
    console.log(`Checkpoint ${version}: after ${nodeName}, ID=${id}, Time=${timestamp.toISOString()}`);
  }

  const second = checkpoints[1];
  if (second === undefined) return;
  console.log(`=== Resuming from checkpoint ${second.id}, at Step: ${second.state.step} ===`);
  const resumed = await recorded.resumeFromCheckpoint(second.id, { at: "step3" });
  console.log(`Resumed Data: ${resumed.data}\nResumed History: ${resumed.history.join(", ")}`);
  await recorded.clearCheckpoints();
}
