import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { Script } from "../demo/scripted-chat-model.js";

/** The model's messages in a shop's support: it looks the order up, asks the warehouse, which fails once, and then pays back. */
export const supportScript: Script = (conversation) => {
  const since = conversation.slice(conversation.findLastIndex(({ type }) => type === "human"));
  const results = since.filter((message) => ToolMessage.isInstance(message));
  const order = /\d{4}/.exec(conversation.map(({ text }) => text).join(" "))?.[0] ?? "0000";
  const has = (tool: string, status = "success"): boolean =>
    results.some((result) => result.name === tool && (result.status ?? "success") === status);
  if (!has("look_up_order")) {
    return calling(
      "I look into your order.",
      { name: "look_up_order", args: { order } },
      { name: "ask_warehouse", args: { order, city: "Graz" } },
    );
  }
  if (!has("ask_warehouse")) {
    return calling("The warehouse in Graz does not answer, so I ask the one in Linz.", {
      name: "ask_warehouse",
      args: { order, city: "Linz" },
    });
  }
  if (!has("pay_back")) {
    return calling("The second cup is out of stock.", { name: "pay_back", args: { order, euros: 24.5 } });
  }
  return new AIMessage(`**Done.** ${results.at(-1)?.text ?? ""} Is there anything else?`);
};

interface ToolUse {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function calling(content: string, ...uses: readonly ToolUse[]): AIMessage {
  const tool_calls = uses.map((use, at) => ({
    ...use,
    id: `call_${use.name}_${at + 1}`,
    type: "tool_call" as const,
  }));
  return new AIMessage({ content, tool_calls });
}
