import { Annotation, entrypoint, InMemoryStore, START, StateGraph, task } from "@langchain/langgraph";
import type { PostgresSaverOptions } from "../../../src/index.js";
import { LogState, says } from "../../graphs/support/log-state.js";
import { collect } from "../../../test-support/checkpoints.js";
import { putFrom } from "../../../test-support/put-from.js";
import type { ReportingSaver } from "./reporting-saver.js";

type Durability = "sync" | "async" | "exit";

interface Thread {
  readonly configurable: { readonly thread_id: string };
  readonly durability: Durability;
}

/** A run with a save that fails while one of its nodes is still running. */
export interface FailingRun {
  readonly name: string;
  /** The options of the saver. */
  readonly options: PostgresSaverOptions;
  /** The code of the error that the save fails with. */
  readonly code: string;
  readonly run: (saver: ReportingSaver, thread: Thread) => Promise<unknown>;
  readonly durability: Durability;
}

const LONG = "x".repeat(5_000);
const BOUNDED = { maxCheckpointBytes: 4_000 } as const;

/** A node that ends after a save has failed. With durability `exit` nothing is saved before the node ends. */
function slow(saver: ReportingSaver, { durability }: Thread) {
  return async () => {
    saver.nodeBegan = true;
    if (durability !== "exit") await saver.afterFailedSave();
    return { log: ["slow"] };
  };
}

function chain(saver: ReportingSaver, thread: Thread, store?: InMemoryStore) {
  return new StateGraph(LogState)
    .addNode("slow", slow(saver, thread))
    .addNode("after", says("after"))
    .addEdge(START, "slow")
    .addEdge("slow", "after")
    .compile({ checkpointer: saver, ...(store && { store }) });
}

/** Two parallel nodes. One ends while the other is running. */
function siblings(saver: ReportingSaver, thread: Thread) {
  return new StateGraph(LogState)
    .addNode("slow", slow(saver, thread))
    .addNode("long", says(LONG))
    .addEdge(START, "slow")
    .addEdge(START, "long")
    .compile({ checkpointer: saver });
}

const InnerState = Annotation.Root({ ...LogState.spec, own: Annotation<string> });

/** A subgraph with its own long value, so that only its saves fail. */
function nested(saver: ReportingSaver, thread: Thread) {
  const inner = new StateGraph(InnerState)
    .addNode("long", () => ({ own: LONG }))
    .addNode("slow", slow(saver, thread))
    .addEdge(START, "long")
    .addEdge("long", "slow")
    .compile();
  return new StateGraph(LogState)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .compile({ checkpointer: saver });
}

function workflow(saver: ReportingSaver, thread: Thread) {
  const long = task("long", () => LONG);
  return entrypoint({ name: "workflow", checkpointer: saver }, async () => {
    await long();
    return slow(saver, thread)();
  });
}

type Run = FailingRun["run"];

/** The input is too large to be saved, for each method that runs a graph. */
const LONG_INPUT: Readonly<Record<string, Run>> = {
  invoke: (saver, thread) => chain(saver, thread).invoke({ log: [LONG] }, thread),
  stream: async (saver, thread) => {
    await collect(await chain(saver, thread).stream({ log: [LONG] }, thread));
  },
  batch: (saver, thread) => chain(saver, thread).batch([{ log: [LONG] }], thread),
};

const inSubgraph: Run = (saver, thread) => nested(saver, thread).invoke({ log: [] }, thread);

/** The write of a node or a task is too large, while another is running. */
const LONG_WRITES: Readonly<Record<string, Run>> = {
  "parallel nodes": (saver, thread) => siblings(saver, thread).invoke({ log: [] }, thread),
  "the functional API": (saver, thread) => workflow(saver, thread).invoke("go", thread),
};

/** A run with a store, which takes a turn of the event loop between the last save and the end of the run. */
const withStore: Run = (saver, thread) =>
  chain(saver, thread, new InMemoryStore()).invoke({ log: [LONG] }, thread);

/** The saves fail after the database has responded. */
const CAUSES: readonly Omit<FailingRun, "durability">[] = [
  {
    name: "a deleted thread",
    options: { keepTombstones: true },
    code: "THREAD_DELETED",
    run: async (saver, thread) => {
      await saver.deleteThread(thread.configurable.thread_id);
      return chain(saver, thread).invoke({ log: [] }, thread);
    },
  },
  {
    name: "a concurrent run",
    options: { concurrency: "optimistic" },
    code: "CONCURRENT_MODIFICATION",
    run: (saver, thread) =>
      afterReading(saver, thread, async () => {
        await putFrom(saver, "loop", thread);
      }),
  },
  {
    name: "a lost database",
    options: { retry: false },
    code: "CONNECTION_FAILED",
    run: (saver, thread) => afterReading(saver, thread, () => saver.end()),
  },
];

/** Runs a graph, and calls `act` after the run has read its checkpoint. */
function afterReading(saver: ReportingSaver, thread: Thread, act: () => Promise<void>): Promise<unknown> {
  const read = saver.getTuple.bind(saver);
  saver.getTuple = async (...call) => {
    const tuple = await read(...call);
    await act();
    return tuple;
  };
  return chain(saver, thread).invoke({ log: [] }, thread);
}

function tooLarge(runs: Readonly<Record<string, Run>>): Omit<FailingRun, "durability">[] {
  const code = "CHECKPOINT_TOO_LARGE";
  return Object.entries(runs).map(([name, run]) => ({ name, options: BOUNDED, code, run }));
}

function withDurability(
  durabilities: readonly Durability[],
  runs: readonly Omit<FailingRun, "durability">[],
): FailingRun[] {
  return runs.flatMap((run) => durabilities.map((durability) => ({ ...run, durability })));
}

/** LangGraph waits for the save before a node continues, so that Node.js never reports it as unhandled. */
export const HANDLED_RUNS: readonly FailingRun[] = [
  ...withDurability(["sync", "exit"], [...tooLarge(LONG_INPUT), ...CAUSES]),
  ...withDurability(["sync"], tooLarge({ "a subgraph": inSubgraph })),
];

/** With LangGraph.js before 1.5.0, Node.js reports the save as unhandled while a node is running. */
export const UNHANDLED_RUNS: readonly FailingRun[] = [
  ...withDurability(["async"], [...tooLarge({ ...LONG_INPUT, "a subgraph": inSubgraph }), ...CAUSES]),
  ...withDurability(["async", "sync"], tooLarge(LONG_WRITES)),
  ...withDurability(["exit"], tooLarge({ "a graph with a store": withStore })),
];
