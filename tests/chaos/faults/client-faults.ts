import type { Fault } from "./fault.js";

/** The process is killed in the middle of its calls; a new one goes on with the same threads. */
export const killClient: Fault = {
  name: "client process killed with SIGKILL",
  inject: async ({ client }) => {
    await client.kill();
    await client.start();
    return undefined;
  },
};

/** Another part of the service holds every connection of the pool for longer than one is waited for. */
export const exhaustConnections: Fault = {
  name: "pool exhausted",
  inject: async ({ client, settings }) => {
    await client.exhaustPool(settings.connectionTimeoutMs + 500);
    return undefined;
  },
};
