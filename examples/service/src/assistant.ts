import { AIMessage } from "@langchain/core/messages";
import {
  Annotation,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { z } from "zod";
import type { Database } from "./database.js";
import { findOrder, type Order, payBack } from "./orders.js";
import { answerTo, customerOf } from "./ids.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** What the last message asks for. */
  request: Annotation<Request>,
  order: Annotation<Order>,
  /** What the assistant says at the end of the turn. */
  reply: Annotation<string>,
});
type State = typeof State.State;

interface Request {
  readonly kind: "refund" | "introduction" | "talk";
  /** The number of the order, or the name. */
  readonly about: string;
}

/** What a person has decided, in the shape of LangChain's human-in-the-loop middleware, for which the inspector has a form. */
const Decisions = z.object({
  decisions: z.tuple([
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("approve") }),
      z.object({ type: z.literal("reject"), message: z.string().optional() }),
    ]),
  ]),
});

export type Assistant = ReturnType<typeof createAssistant>;

/** The assistant. It refunds an order if a person agrees, and remembers the names of customers. */
export function createAssistant({ saver, store, cache }: Database) {
  return new StateGraph(State)
    .addNode("understand", understand)
    .addNode("lookUp", lookUp, {
      // All processes and threads share the result for a minute. By default the key is the whole state.
      cachePolicy: { ttl: 60, keyFunc: ([input]) => (input as State).request.about },
    })
    .addNode("approve", approve, { ends: ["refund", "answer"] })
    .addNode("refund", refund)
    .addNode("remember", remember)
    .addNode("talk", talk)
    .addNode("answer", answer)
    .addEdge(START, "understand")
    .addConditionalEdges("understand", ({ request }) => NEXT[request.kind], Object.values(NEXT))
    .addEdge("lookUp", "approve")
    .addConditionalEdges("approve", ({ reply }) => (reply === "" ? "refund" : "answer"), ["refund", "answer"])
    .addEdge("refund", "answer")
    .addEdge("remember", "answer")
    .addEdge("talk", "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver, store, cache });
}

const NEXT = { refund: "lookUp", introduction: "remember", talk: "talk" } as const;

/** A model goes here: it would choose a tool. Pass it `config.signal`, so that it stops when the client leaves. */
function understand({ messages }: State): { request: Request } {
  const text = messages.at(-1)?.text ?? "";
  const [, order] = /\brefund\b.*?(\d+)/i.exec(text) ?? [];
  if (order !== undefined) return { request: { kind: "refund", about: order } };
  const [, name] = /\bmy name is (\w+)/i.exec(text) ?? [];
  if (name !== undefined) return { request: { kind: "introduction", about: name } };
  return { request: { kind: "talk", about: text } };
}

async function lookUp({ request }: State): Promise<{ order: Order }> {
  return { order: await findOrder(request.about) };
}

/** It only asks: when a person has answered, the node runs again from its beginning. */
function approve({ order }: State): { reply: string } {
  const { decisions } = Decisions.parse(
    interrupt({
      actionRequests: [
        {
          name: "refund",
          args: { order: order.id, euros: order.euros },
          description: `Refund ${order.euros} € for ${order.item}?`,
        },
      ],
      reviewConfigs: [{ actionName: "refund", allowedDecisions: ["approve", "reject"] }],
    }),
  );
  const [decision] = decisions;
  if (decision.type === "approve") return { reply: "" };
  return { reply: `Order ${order.id} is not refunded. ${decision.message ?? ""}`.trim() };
}

/** A node of its own, so that the decision is stored before anything is paid. */
async function refund(
  { order, messages }: State,
  config: LangGraphRunnableConfig,
): Promise<{ reply: string }> {
  const threadId = String(config.configurable?.thread_id);
  const { receipt } = await payBack(order, `${threadId}/${messages.at(-1)?.id ?? ""}`);
  return { reply: `Order ${order.id} is refunded: ${order.euros} €, receipt ${receipt}.` };
}

async function remember({ request }: State, config: LangGraphRunnableConfig): Promise<{ reply: string }> {
  await config.store?.put(["customers", customerOf(config)], "profile", { name: request.about });
  return { reply: `Nice to meet you, ${request.about}.` };
}

/** A model goes here as well. */
async function talk(
  { request, messages }: State,
  config: LangGraphRunnableConfig,
): Promise<{ reply: string }> {
  const profile = await config.store?.get(["customers", customerOf(config)], "profile");
  const name: unknown = profile?.value.name;
  const turn = Math.ceil(messages.length / 2);
  return {
    reply: `${typeof name === "string" ? `${name}, this` : "This"} is turn ${turn}: ${request.about}`,
  };
}

/** The id of the answer names the message, so that a message which is sent again finds its answer. */
function answer({ messages, reply }: State): { messages: AIMessage[] } {
  return { messages: [new AIMessage({ id: answerTo(messages.at(-1)?.id ?? ""), content: reply })] };
}
