import type { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createAgent } from "langchain";
import { z } from "zod";
import { stateBefore } from "../../graphs/support/history.js";
import { type Client, configOf, human, type Place } from "../client.js";
import { calls, replying, says } from "../replies.js";

/** A tool that asks before it pays. */
export const pay = tool(
  ({ amount }) => `A person says ${JSON.stringify(interrupt({ question: `May I pay ${amount}?` }))}.`,
  { name: "pay", description: "Pays.", schema: z.object({ amount: z.number() }) },
);

interface Replies {
  readonly supervisor?: readonly AIMessage[];
  readonly buyer?: readonly AIMessage[];
  readonly writer?: readonly AIMessage[];
}

function createTeam({ saver, store }: Place, { supervisor = [], buyer = [], writer = [] }: Replies) {
  return createSupervisor({
    agents: [
      createAgent({ name: "buyer", model: replying(...buyer), tools: [pay] }).graph,
      createAgent({ name: "writer", model: replying(...writer), tools: [] }).graph,
    ],
    llm: replying(...supervisor),
    outputMode: "full_history",
  }).compile({ checkpointer: saver, store });
}

/** LangGraph's supervisor, whose agents are subgraphs, one of which asks. */
export const supervisor: Client = {
  graphOf: (place) => createTeam(place, {}),
  phases: {
    "hands over to an agent that asks": async (place) => {
      const team = createTeam(place, {
        supervisor: [calls("transfer_to_buyer")],
        buyer: [calls("pay", { amount: 5 })],
      });
      return team.invoke(human("Buy tea."), configOf(place));
    },
    "goes on in that agent, and then in another": async (place) => {
      const team = createTeam(place, {
        supervisor: [calls("transfer_to_writer"), says("Done.")],
        buyer: [says("The tea is paid.")],
        writer: [says("I have written to Ada.")],
      });
      return team.invoke(new Command({ resume: true }), configOf(place));
    },
    "branches off where it had asked": async (place) => {
      const team = createTeam(place, { supervisor: [says("No tea.")], buyer: [says("It is not paid.")] });
      const { config } = await stateBefore(team, configOf(place), "buyer");
      return team.invoke(new Command({ resume: false }), config);
    },
  },
};
