import { AIMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { Script } from "../demo/scripted-chat-model.js";

/** What Ada says about herself on Monday. */
export const INTRODUCTION = "Please note: I am allergic to peanuts, and I prefer trains to planes.";

/** The model's messages: it remembers what it is told, and answers by what was recalled. */
export const memoryScript: Script = (conversation) => {
  const last = conversation.at(-1);
  if (ToolMessage.isInstance(last)) return new AIMessage("Noted.");
  if (last?.text === INTRODUCTION) {
    return new AIMessage({
      content: "",
      tool_calls: [
        toolCall("allergy", "is allergic to peanuts"),
        toolCall("travel", "prefers trains to planes"),
      ],
    });
  }
  const recalled = conversation.find((message) => SystemMessage.isInstance(message))?.text ?? "";
  return new AIMessage(
    recalled === "" ? "I know nothing about you." : `I keep in mind that my user ${recalled}.`,
  );
};

function toolCall(topic: string, fact: string) {
  return { id: `call_${topic}`, name: "remember", args: { topic, fact }, type: "tool_call" as const };
}
