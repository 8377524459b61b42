import { afterAll } from "@jest/globals";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";

/** Stores a thread with two namespaces, a fork, an interrupt and a write without a checkpoint. */
export async function fillThread(saver: PostgresSaver, thread: string): Promise<void> {
  const root = await putValues(saver, threadConfig(thread), { messages: ["a"], count: 1 });
  const left = await putValues(saver, root.config, { messages: ["a", "b"] }, root.checkpoint);
  await putValues(saver, root.config, { messages: ["a", "c"] }, root.checkpoint);
  await saver.putWrites(left.config, [["messages", "d"]], "task", "path");
  await saver.putWrites(left.config, [["__interrupt__", { value: "really?" }]], "task");
  const inner = threadConfig(thread, { checkpoint_ns: "node:1" });
  await putValues(saver, inner, { inner: { deep: new Date(0) }, long: "x".repeat(5_000) });
  await saver.putWrites({ configurable: { ...inner.configurable, checkpoint_id: "stray" } }, [["a", 1]], "t");
}

/** The tuples of a thread, with its id replaced, so that threads can be compared. */
export async function tuplesOf(saver: PostgresSaver, thread: string): Promise<CheckpointTuple[]> {
  const tuples = await collect(saver.list(threadConfig(thread)));
  const text = JSON.stringify(tuples).replaceAll(JSON.stringify(thread), '"thread"');
  return JSON.parse(text) as CheckpointTuple[];
}

/** Returns a function that opens savers. They are closed after the suite. */
export function saversOfSuite(): (...args: ConstructorParameters<typeof PostgresSaver>) => PostgresSaver {
  const opened: PostgresSaver[] = [];
  afterAll(() => Promise.all(opened.map((saver) => saver.end())));
  return (...args) => {
    const saver = new PostgresSaver(...args);
    opened.push(saver);
    return saver;
  };
}
