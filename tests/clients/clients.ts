import { deepAgent } from "./agents/deep-agent.js";
import { langchainAgent } from "./agents/create-agent.js";
import { memories } from "./agents/memories.js";
import { supervisor } from "./agents/supervisor.js";
import { swarm } from "./agents/swarm.js";
import type { Client } from "./client.js";
import { embedServer } from "./embed/embed-server.js";

/** Every client that is tried, by its name in docs/clients.md. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  createAgent: langchainAgent,
  createDeepAgent: deepAgent,
  createSupervisor: supervisor,
  createSwarm: swarm,
  "memories in the store": memories,
  "createEmbedServer with useStream": embedServer,
};
