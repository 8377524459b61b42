import {
  createAgent,
  createMiddleware,
  dynamicSystemPromptMiddleware,
  humanInTheLoopMiddleware,
} from "langchain";
import type { Database } from "./database.js";
import { ScriptedModel } from "./scripted-model.js";
import { MEMORIES, refund, remember } from "./tools.js";

/** The longest title of a conversation, in characters. */
const TITLE = 60;

export type Assistant = ReturnType<typeof createAssistant>;

/** The agent that answers in all conversations. */
export function createAssistant({ saver, store, conversations }: Database, msPerWord: number) {
  /** A conversation is called by its first message. */
  const title = createMiddleware({
    name: "title",
    beforeAgent: async ({ messages }, { configurable }) => {
      const id = configurable?.thread_id;
      if (id !== undefined && messages.length === 1)
        await conversations.set(id, {
          kind: "patch",
          metadata: { title: messages[0]?.text.slice(0, TITLE) ?? "" },
        });
    },
  });
  /** What is known from all conversations is a part of each call of the model. */
  const memories = dynamicSystemPromptMiddleware(async () => {
    const facts = (await store.search(MEMORIES)).map(({ value }) => String(value.fact));
    return ["You answer customers.", ...facts.map((fact) => `The user ${fact}.`)].join("\n");
  });
  return createAgent({
    // A real model: `model: "anthropic:claude-sonnet-4-5"`, with its package and its key.
    model: new ScriptedModel(msPerWord),
    tools: [remember(store), refund],
    middleware: [
      title,
      memories,
      humanInTheLoopMiddleware({ interruptOn: { refund: { allowedDecisions: ["approve", "reject"] } } }),
    ],
    checkpointer: saver,
    store,
  });
}
