import { AIMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { PostgresSaver } from "../../src/index.js";

/** Replace this graph by your agent. It needs no model, and its answers show that it remembers the thread. */
export function createAssistant(checkpointer: PostgresSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode("answer", ({ messages }: typeof MessagesAnnotation.State) => {
      const turn = Math.ceil(messages.length / 2);
      return { messages: [new AIMessage(`Turn ${turn}: you said “${messages.at(-1)?.text ?? ""}”`)] };
    })
    .addEdge(START, "answer")
    .compile({ checkpointer });
}
