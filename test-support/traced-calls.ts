import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../src/index.js";

/** Calls that can be traced, each as often as wanted. They are those of a step of a small agent. */
export type TracedCalls = Readonly<Record<"put" | "getTuple" | "putWrites", () => Promise<unknown>>>;

/** Returns the calls on a thread of their own. */
export function tracedCalls(saver: PostgresSaver, threadId: string): TracedCalls {
  const head = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  let config: RunnableConfig = head;
  let step = 0;
  return {
    put: async () => {
      step++;
      const versions = { messages: step, count: step };
      config = await saver.put(
        config,
        {
          v: 4,
          id: uuid6(step),
          ts: new Date().toISOString(),
          channel_values: { messages: ["a question", "an answer"], count: step },
          channel_versions: versions,
          versions_seen: {},
        },
        { source: "loop", step, parents: {} },
        versions,
      );
    },
    getTuple: () => saver.getTuple(head),
    putWrites: () => saver.putWrites(config, [["messages", "an answer"]], `task ${++step}`),
  };
}
