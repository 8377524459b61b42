import type { Fault } from "./fault.js";

/** Kills the process in the middle of its calls. A new one continues with the same threads. */
export const killClient: Fault = {
  name: "client process killed with SIGKILL",
  inject: async ({ client }) => {
    await client.kill();
    await client.start();
    return undefined;
  },
};

/** Another part of the service holds every connection of the pool for longer than the saver waits for one. */
export const exhaustConnections: Fault = {
  name: "pool exhausted",
  inject: async ({ client, settings }) => {
    await client.exhaustPool?.(settings.connectionTimeoutMs + 500);
    return undefined;
  },
};
