import type { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { CompositeBackend, createDeepAgent, StateBackend, StoreBackend } from "deepagents";
import { z } from "zod";
import { stateBefore } from "../../graphs/support/history.js";
import { type Client, configOf, human, type Place } from "../client.js";
import { calls, replying, says } from "../replies.js";

const askPerson = tool(({ question }) => `The person says ${JSON.stringify(interrupt({ question }))}.`, {
  name: "ask_person",
  description: "Asks a person.",
  schema: z.object({ question: z.string() }),
});

const delegate = calls("task", { description: "Find out which tea Ada likes.", subagent_type: "asker" });

/** An agent with files in its state, memories in the store, and a subagent that asks. */
function createAgentWithFiles(
  { saver, store, thread }: Place,
  own: AIMessage[],
  ofSubagent: AIMessage[] = [],
) {
  return createDeepAgent({
    ...{ model: replying(...own), checkpointer: saver, store },
    backend: new CompositeBackend(new StateBackend(), {
      "/memories/": new StoreBackend({ namespace: [thread, "files"] }),
    }),
    subagents: [
      {
        name: "asker",
        description: "Asks a person.",
        systemPrompt: "Ask.",
        model: replying(...ofSubagent),
        tools: [askPerson],
      },
    ],
  });
}

/** deepagents, with both kinds of files, plans and subagents. */
export const deepAgent: Client = {
  graphOf: (place) => createAgentWithFiles(place, []).graph,
  phases: {
    "writes files, and its subagent asks": async (place) => {
      const own = [
        calls("write_file", { file_path: "/draft.md", content: "# Tea\n" }),
        calls("write_file", { file_path: "/memories/ada.md", content: "Ada drinks tea.\n" }),
        delegate,
      ];
      const asks = [calls("ask_person", { question: "Which tea?" })];
      return createAgentWithFiles(place, own, asks).invoke(human("Buy tea for Ada."), configOf(place));
    },
    "goes on in the subagent, and edits what it wrote": async (place) => {
      const own = [
        calls("edit_file", {
          ...{ file_path: "/memories/ada.md" },
          ...{ old_string: "drinks tea", new_string: "drinks green tea" },
        }),
        calls("read_file", { file_path: "/memories/ada.md" }),
        calls("ls", { path: "/" }),
        says("Ada gets green tea."),
      ];
      const agent = createAgentWithFiles(place, own, [says("She likes green tea.")]);
      return agent.invoke(new Command({ resume: "green" }), configOf(place));
    },
    "reads its memories in another thread": async (place) => {
      const own = [calls("read_file", { file_path: "/memories/ada.md" }), says("Green.")];
      const config = { configurable: { thread_id: `${place.thread} later` } };
      const agent = createAgentWithFiles(place, own);
      return [await agent.invoke(human("Which tea?"), config), await agent.graph.getState(config)];
    },
    "branches off where its subagent had asked": async (place) => {
      const own = [says("Ada gets black tea.")];
      const agent = createAgentWithFiles(place, own, [says("She likes black tea.")]);
      const { config } = await stateBefore(agent.graph, configOf(place), "tools");
      return agent.invoke(new Command({ resume: "black" }), config);
    },
  },
};
