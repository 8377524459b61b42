import {
  Annotation,
  Command,
  type BaseCheckpointSaver,
  type BaseStore,
  interrupt,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import type { DatabaseSource } from "../../src/db/index.js";
import { PostgresStore } from "../../src/store/index.js";
import type { StoreDatabase } from "../../src/db/checkpoint-database.js";

/** Long enough to be sent and read in a way of its own. */
const FILE_BYTES = 200_000;

const State = Annotation.Root({
  notes: Annotation<string[]>({ reducer: (notes, more) => [...notes, ...more], default: () => [] }),
  file: Annotation<Uint8Array>,
});

/**
 * The agent that runs in every place: an interrupt and its answer, a history, a fork from an earlier checkpoint, long-term memory, and the
 * deletion of its thread. It leaves nothing open.
 *
 * @param source - An empty database, as a connection string or in any other form that the constructors take.
 * @returns What each step saw, as JSON.
 */
export async function runAgent(source: DatabaseSource & DatabaseSource<StoreDatabase>): Promise<string> {
  const saver = new PostgresSaver(source);
  const store = new PostgresStore(source);
  try {
    await saver.setup();
    await store.setup();
    return JSON.stringify(await useAgent(saver, store));
  } finally {
    await store.end();
    await saver.end();
  }
}

async function useAgent(saver: BaseCheckpointSaver, store: BaseStore): Promise<object> {
  const graph = createGraph(saver, store);
  const thread = { configurable: { thread_id: "thread" } };

  await graph.invoke({ notes: ["start"] }, thread);
  const { tasks } = await graph.getState(thread);
  const asked = tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => String(value)));
  const resumed = await graph.invoke(new Command({ resume: "yes" }), thread);

  const history = [];
  for await (const state of graph.getStateHistory(thread)) history.push(state);
  const before = history.find(({ next }) => next.includes("ask"));
  if (before === undefined) throw new Error("The history has no checkpoint before the question");
  await graph.invoke(null, await graph.updateState(before.config, { notes: ["edited"] }));
  const forked = await graph.invoke(new Command({ resume: "no" }), thread);

  const remembered = await store.search(["agents"], { filter: { answer: "no" } });
  await saver.deleteThread("thread");
  const after = await graph.getState(thread);

  const isWhole = forked.file.length === FILE_BYTES && forked.file.every((byte: number) => byte === 7);
  return {
    asked,
    resumed: resumed.notes,
    history: history.map(({ next }) => next.join()),
    forked: forked.notes,
    isWhole,
    remembered: remembered.map(({ key, value }) => ({ key, ...value })),
    left: after.values as unknown,
  };
}

function createGraph(checkpointer: BaseCheckpointSaver, store: BaseStore) {
  return new StateGraph(State)
    .addNode("plan", () => ({ notes: ["planned"], file: new Uint8Array(FILE_BYTES).fill(7) }))
    .addNode("ask", async (_state: typeof State.State, config: LangGraphRunnableConfig) => {
      const answer = interrupt<string, string>("Go on?");
      await config.store?.put(["agents", "thread"], answer, { answer });
      return { notes: [`heard ${answer}`] };
    })
    .addEdge(START, "plan")
    .addEdge("plan", "ask")
    .compile({ checkpointer, store });
}
