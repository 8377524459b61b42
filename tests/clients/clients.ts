import { langchainAgent } from "./agents/create-agent.js";
import { embedServer } from "./embed/embed-server.js";
import type { Client } from "./client.js";

/** Every client that is tried, by its name in docs/clients.md. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  createAgent: langchainAgent,
  "createEmbedServer with useStream": embedServer,
};
