import type { AIMessage } from "@langchain/core/messages";
import { Command, CompiledStateGraph } from "@langchain/langgraph";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { createAgent } from "langchain";
import { stateBefore } from "../../graphs/support/history.js";
import { type Client, configOf, human, type Place } from "../client.js";
import { calls, replying, says } from "../replies.js";
import { pay } from "./supervisor.js";

interface Replies {
  readonly seller?: readonly AIMessage[];
  readonly buyer?: readonly AIMessage[];
}

type Member = Parameters<typeof createSwarm>[0]["agents"][number];

/** The declarations of the swarm still want the graphs of LangGraph's own agent, which is deprecated. */
function isMember(graph: unknown): graph is Member {
  return graph instanceof CompiledStateGraph;
}

function createTeam({ saver, store }: Place, { seller = [], buyer = [] }: Replies) {
  const agents: unknown[] = [
    createAgent({
      ...{ name: "seller", model: replying(...seller) },
      tools: [createHandoffTool({ agentName: "buyer" })],
    }).graph,
    createAgent({
      ...{ name: "buyer", model: replying(...buyer) },
      tools: [pay, createHandoffTool({ agentName: "seller" })],
    }).graph,
  ];
  const swarmOf = createSwarm({ agents: agents.filter(isMember), defaultActiveAgent: "seller" });
  return swarmOf.compile({ checkpointer: saver, store });
}

/** LangGraph's swarm, in which the agent that was active last goes on. */
export const swarm: Client = {
  graphOf: (place) => createTeam(place, {}),
  phases: {
    "hands over to an agent that asks": async (place) => {
      const team = createTeam(place, {
        seller: [calls("transfer_to_buyer")],
        buyer: [calls("pay", { amount: 5 })],
      });
      return team.invoke(human("I want tea."), configOf(place));
    },
    "goes on in that agent": async (place) => {
      const team = createTeam(place, { buyer: [says("The tea is paid.")] });
      return team.invoke(new Command({ resume: true }), configOf(place));
    },
    "branches off where it had asked": async (place) => {
      const team = createTeam(place, { buyer: [says("Then not.")] });
      const asked = await stateBefore(team, configOf(place), "buyer");
      return team.invoke(new Command({ resume: false }), asked.config);
    },
    "begins the next turn on the branch with the agent that was active": async (place) => {
      const team = createTeam(place, {
        buyer: [calls("transfer_to_seller")],
        seller: [says("We have three kinds.")],
      });
      return team.invoke(human("Which teas are there?"), configOf(place));
    },
  },
};
