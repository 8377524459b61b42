import { Annotation, START, StateGraph } from "@langchain/langgraph";
import {
  type CheckpointStore,
  PostgresCheckpointStore,
  recordCheckpoints,
} from "../../src/checkpoint-store/index.js";

const THREAD = "durable-job-1";

const Job = Annotation.Root({
  steps: Annotation<string[]>({ reducer: (all, added) => [...all, ...added], default: () => [] }),
});

/** The step after each step. A checkpoint knows which node it is of, but not which one comes next. */
const NEXT = { step_1: "step_2", step_2: "step_3" } as const;

/**
 * Runs a job of three steps that survives the end of its process: a later run continues after the last step that is stored. This is
 * langgraphgo's `examples/durable_execution`.
 *
 * @param store - Where the checkpoints are stored.
 * @param crash - Called in step 2. It ends the process, or throws.
 * @returns The steps of the whole job, or `undefined` if an earlier run has finished it.
 */
export async function runJob(store: CheckpointStore, crash?: () => never): Promise<string[] | undefined> {
  await store.setup();
  const graph = createJob(crash);
  const newest = await store.latest({ threadId: THREAD });
  if (newest === undefined) {
    console.log("Starting new execution...");
    const { steps } = await recordCheckpoints(graph, { store, threadId: THREAD }).invoke({
      steps: ["Start"],
    });
    return steps;
  }
  console.log(`Found existing checkpoint: ${newest.id} (Node: ${newest.nodeName})`);
  if (newest.nodeName !== "step_1" && newest.nodeName !== "step_2") {
    console.log("Job already finished.");
    return undefined;
  }
  const executionId = String(newest.metadata?.execution_id);
  const recorded = recordCheckpoints(graph, { store, threadId: THREAD, executionId });
  console.log(`Continuing from ${NEXT[newest.nodeName]}...`);
  const { steps } = await recorded.resumeFromCheckpoint(newest.id, { at: NEXT[newest.nodeName] });
  return steps;
}

function createJob(crash?: () => never) {
  return new StateGraph(Job)
    .addNode("step_1", () => {
      console.log("Executing Step 1...");
      return { steps: ["Step 1 Completed"] };
    })
    .addNode("step_2", () => {
      console.log("Executing Step 2...");
      crash?.();
      return { steps: ["Step 2 Completed"] };
    })
    .addNode("step_3", () => {
      console.log("Executing Step 3...");
      return { steps: ["Step 3 Completed"] };
    })
    .addEdge(START, "step_1")
    .addEdge("step_1", "step_2")
    .addEdge("step_2", "step_3")
    .compile();
}

/**
 * Runs the job. Where the environment variable `CRASH` is `true`, its process ends in step 2: run it again without it.
 *
 * @param url - `postgres://…`, or `file://…` for a PGlite in a folder. Both outlive the process.
 */
export async function playResume(url = "file://durable-job"): Promise<void> {
  await using store = new PostgresCheckpointStore(url, { table: "example_jobs" });
  const crash = (): never => {
    console.log("!!! CRASHING AT STEP 2 !!! (run again without CRASH=true to recover)");
    process.exit(1);
  };
  const steps = await runJob(store, process.env.CRASH === "true" ? crash : undefined);
  if (steps !== undefined) console.log(`Final Result: ${steps.join(", ")}`);
}
