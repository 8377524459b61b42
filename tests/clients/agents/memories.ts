import type { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod";
import { type Client, human, type Place } from "../client.js";
import { calls, callsAll, replying, says } from "../replies.js";

/** The memories of a user, as LangMem keeps them: an item for each, in a namespace from the config. */
function memoriesOf({ configurable, store }: LangGraphRunnableConfig) {
  if (store === undefined) throw new Error("The graph has no store");
  return { store, namespace: [String(configurable?.place), "users", String(configurable?.user), "memories"] };
}

const manageMemory = tool(
  async ({ action, id, content, kind }, config: LangGraphRunnableConfig) => {
    const { store, namespace } = memoriesOf(config);
    if (action === "delete") await store.delete(namespace, id);
    else await store.put(namespace, id, { content, kind });
    return `${action} ${id}`;
  },
  {
    name: "manage_memory",
    description: "Creates, changes or deletes a memory.",
    schema: z.object({
      action: z.enum(["create", "update", "delete"]),
      id: z.string(),
      content: z.string().optional(),
      kind: z.string().optional(),
    }),
  },
);

const searchMemory = tool(
  async ({ kind, everyone }, config: LangGraphRunnableConfig) => {
    const { store, namespace } = memoriesOf(config);
    const found = await store.search(everyone ? namespace.slice(0, 2) : namespace, { filter: { kind } });
    return found.map(({ namespace: [, , user], key, value }) => `${user} ${key}: ${value.content}`).sort();
  },
  {
    name: "search_memory",
    description: "Finds memories.",
    schema: z.object({ kind: z.string(), everyone: z.boolean().optional() }),
  },
);

function createRemembering({ saver, store }: Place, ...replies: readonly AIMessage[]) {
  const tools = [manageMemory, searchMemory];
  return createAgent({ model: replying(...replies), tools, checkpointer: saver, store });
}

const configOf = ({ thread }: Place, user: string, talk = "") => ({
  configurable: { thread_id: `${thread}${talk}`, place: thread, user },
});

/** An agent that writes and searches memories, as LangMem's tools do. LangMem itself is a package of Python. */
export const memories: Client = {
  graphOf: (place) => createRemembering(place).graph,
  phases: {
    "writes memories of a user": async (place) => {
      const agent = createRemembering(
        place,
        callsAll(
          ["manage_memory", { action: "create", id: "tea", content: "likes tea", kind: "taste" }],
          ["manage_memory", { action: "create", id: "home", content: "lives in Oslo", kind: "place" }],
        ),
        says("I will remember it."),
      );
      return agent.invoke(human("I like tea, and live in Oslo."), configOf(place, "ada"));
    },
    "finds them in another thread, and changes them": async (place) => {
      const agent = createRemembering(
        place,
        calls("search_memory", { kind: "taste" }),
        callsAll(
          ["manage_memory", { action: "update", id: "tea", content: "likes green tea", kind: "taste" }],
          ["manage_memory", { action: "delete", id: "home" }],
        ),
        says("Green tea."),
      );
      return agent.invoke(human("Green tea, and I have moved."), configOf(place, "ada", " later"));
    },
    "keeps users apart, and finds the memories of all": async (place) => {
      const agent = createRemembering(
        place,
        calls("search_memory", { kind: "taste" }),
        calls("manage_memory", { action: "create", id: "tea", content: "likes no tea", kind: "taste" }),
        calls("search_memory", { kind: "taste", everyone: true }),
        says("You like no tea."),
      );
      return agent.invoke(human("I like no tea."), configOf(place, "bob", " of Bob"));
    },
  },
};
