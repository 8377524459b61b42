import { tool } from "@langchain/core/tools";
import { interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import type { CheckpointSaver } from "../../src/index.js";
import { ScriptedChatModel } from "../demo/scripted-chat-model.js";
import type { Clock } from "./clock.js";
import { supportScript } from "./support-script.js";

const THINKING_MS = 1_800;

const lookUpOrder = tool(
  ({ order }) => ({ order, items: [{ sku: "CUP-2", title: "Blue cup", count: 2, euros: 24.5 }], paid: true }),
  {
    name: "look_up_order",
    description: "Returns what an order consists of",
    schema: z.object({ order: z.string() }),
  },
);

const askWarehouse = tool(
  ({ order, city }) => {
    if (city === "Graz") throw new Error("the warehouse in Graz does not answer (timeout after 5 s)");
    return `order ${order}: one cup was sent from ${city}, the other one is out of stock`;
  },
  {
    name: "ask_warehouse",
    description: "Asks a warehouse about an order",
    schema: z.object({ order: z.string(), city: z.string() }),
  },
);

const payBackBy = (desk: string) =>
  tool(
    ({ order, euros }) => {
      const answer: unknown = interrupt({ question: `Pay back ${euros} € for order ${order}?`, euros });
      return answer === "yes" ? `${desk} has paid back ${euros} €.` : "Nothing was paid back.";
    },
    {
      name: "pay_back",
      description: "Pays back, if a person agrees",
      schema: z.object({ order: z.string(), euros: z.number() }),
    },
  );

/**
 * An agent with tools: one gives a result, one fails in one city, and one asks a person.
 *
 * @param desk - Who pays back. The agents of all desks have the same nodes.
 */
export function createSupportAgent(
  checkpointer: CheckpointSaver,
  clock: Clock,
  desk = "The desk in Austria",
) {
  const model = new ScriptedChatModel((conversation) => {
    clock.now += THINKING_MS;
    return supportScript(conversation);
  }).bindTools();
  return new StateGraph(MessagesAnnotation)
    .addNode("agent", async ({ messages }: typeof MessagesAnnotation.State) => ({
      messages: [await model.invoke(messages)],
    }))
    .addNode("tools", new ToolNode([lookUpOrder, askWarehouse, payBackBy(desk)]))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", toolsCondition)
    .addEdge("tools", "agent")
    .compile({ checkpointer });
}
