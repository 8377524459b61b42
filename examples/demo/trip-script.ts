import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Script } from "./scripted-chat-model.js";

/** The person's request. */
export const REQUEST = "Book the night train to Vienna and a room for two nights, then pay.";

/** The model's messages: it reserves both in parallel, then pays, then reports the result. */
export const tripScript: Script = (conversation) => {
  const payment = resultOf(conversation, "pay");
  if (payment !== undefined) return new AIMessage(`Vienna: ${payment}`);
  if (resultOf(conversation, "reserve_train") === undefined) {
    return new AIMessage({
      content: "",
      tool_calls: [
        { id: "call_train", name: "reserve_train", args: { to: "Vienna" }, type: "tool_call" },
        { id: "call_room", name: "reserve_room", args: { city: "Vienna", nights: 2 }, type: "tool_call" },
      ],
    });
  }
  return new AIMessage({
    content: "",
    tool_calls: [{ id: "call_pay", name: "pay", args: { euros: 269 }, type: "tool_call" }],
  });
};

function resultOf(conversation: readonly BaseMessage[], tool: string): string | undefined {
  return conversation.find((message) => ToolMessage.isInstance(message) && message.name === tool)?.text;
}
