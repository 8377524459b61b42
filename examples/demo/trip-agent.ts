import { AIMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import type { PostgresSaver } from "../../src/index.js";
import { say } from "./narrator.js";
import { ScriptedChatModel } from "./scripted-chat-model.js";
import { tripScript } from "./trip-script.js";
import { createTripTools, type TripToolsOptions } from "./trip-tools.js";

type State = typeof MessagesAnnotation.State;

/** An agent that calls its tools in parallel, each in its own task, so that the writes of each tool are stored separately. */
export function createTripAgent(checkpointer: PostgresSaver, options: TripToolsOptions) {
  const tools = createTripTools(options);
  const model = new ScriptedChatModel(tripScript).bindTools();
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }: State) => {
      const message = await model.invoke(messages);
      const calls = message.tool_calls ?? [];
      say(
        "agent",
        calls.length === 0 ? message.text : `calls ${calls.map(({ name }) => name).join(" and ")}`,
      );
      return { messages: [message] };
    })
    .addNode("tools", new ToolNode(tools, { handleToolErrors: false }))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", callTools, ["tools", END])
    .addEdge("tools", "agent")
    .compile({ checkpointer });
}

/** The compiled graph of {@link createTripAgent}. */
export type TripAgent = ReturnType<typeof createTripAgent>;

function callTools({ messages }: State): Send[] | typeof END {
  const last = messages.at(-1);
  const calls = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
  return calls.length === 0 ? END : calls.map((call) => new Send("tools", { messages, lg_tool_call: call }));
}
