import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./fault.js";

/** Resets all connections, including new ones for a while. */
export const resetConnections: Fault = {
  name: "connections reset",
  inject: async ({ proxy }) => {
    for (let times = 0; times < 5; times++) {
      proxy.resetAll();
      await sleep(100);
    }
    return undefined;
  },
};

/** Cuts connections in the middle of a message: first a statement, then an answer. */
export const cutMessages: Fault = {
  name: "connections cut half way through a message",
  inject: async ({ proxy }) => {
    for (let times = 0; times < 3; times++) {
      proxy.cutNext("toServer");
      await sleep(150);
      proxy.cutNext("toClient");
      await sleep(150);
    }
    return undefined;
  },
};

/** Holds back all bytes in both directions for a while, and then delivers them. */
export const stallNetwork: Fault = {
  name: "network stalled, then resumed",
  inject: async ({ proxy, random }) => {
    const resume = proxy.stall();
    await sleep(random.between(500, 3_000));
    resume();
    return undefined;
  },
};

/** Existing connections silently never answer again; new ones work. */
export const loseConnections: Fault = {
  name: "connections in a black hole, new ones work",
  inject: ({ proxy }) => Promise.resolve(proxy.blackHole()),
};
