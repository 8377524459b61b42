import { SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import type { PostgresSaver } from "../../src/index.js";
import type { PostgresStore } from "../../src/store/index.js";
import { ScriptedChatModel } from "../demo/scripted-chat-model.js";
import { memoryScript } from "./memory-script.js";

/** The least similarity of a memory that has to do with a message. */
const SIMILAR = 0.3;

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** What the agent remembers that has to do with the last message. */
  recalled: Annotation<string[]>,
});

/**
 * An agent that remembers its users. The checkpointer keeps each conversation, in a thread. The store keeps what the agent knows about
 * a user, in a namespace of that user, whichever thread it learned it in.
 */
export function createMemoryAgent(checkpointer: PostgresSaver, store: PostgresStore) {
  const model = new ScriptedChatModel(memoryScript).bindTools();
  return new StateGraph(State)
    .addNode("recall", recall)
    .addNode("agent", async ({ messages, recalled }: typeof State.State) => ({
      messages: [await model.invoke([new SystemMessage(recalled.join(" and ")), ...messages])],
    }))
    .addNode("tools", new ToolNode([remember]))
    .addEdge(START, "recall")
    .addEdge("recall", "agent")
    .addConditionalEdges("agent", toolsCondition)
    .addEdge("tools", "agent")
    .compile({ checkpointer, store });
}

async function recall({ messages }: typeof State.State, config: LangGraphRunnableConfig) {
  const { store, namespace } = memoriesOf(config);
  const found = await store.search(namespace, { query: messages.at(-1)?.text ?? "", limit: 3 });
  const matching = found.filter(({ score = 0 }) => score > SIMILAR);
  return { recalled: matching.map(({ value }) => String(value.fact)) };
}

const remember = tool(
  async ({ topic, fact }, config: LangGraphRunnableConfig) => {
    const { store, namespace } = memoriesOf(config);
    // The topic is the key, so that a newer fact about it replaces the older one.
    await store.put(namespace, topic, { fact });
    return `remembered: ${fact}`;
  },
  {
    name: "remember",
    description: "Remembers a fact about the user, for all later conversations",
    schema: z.object({ topic: z.string(), fact: z.string() }),
  },
);

/** The memories of the user whom the run serves. */
function memoriesOf({ store, configurable }: LangGraphRunnableConfig) {
  const userId: unknown = configurable?.user_id;
  if (store === undefined || typeof userId !== "string") throw new Error("a run without a store or a user");
  return { store, namespace: ["users", userId, "memories"] };
}
