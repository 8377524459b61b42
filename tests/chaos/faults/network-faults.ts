import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./fault.js";

/** Connections are reset, those that are made again too. */
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

/** Connections break within a message: half of a statement, then half of an answer. */
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

/** No byte goes in either direction for a while; then all of them do. */
export const stallNetwork: Fault = {
  name: "network stalled, then goes on",
  inject: async ({ proxy, random }) => {
    const resume = proxy.stall();
    await sleep(random.between(500, 3_000));
    resume();
    return undefined;
  },
};

/** The connections that there are never answer again, and nobody says so; new ones work. */
export const loseConnections: Fault = {
  name: "connections in a black hole, new ones work",
  inject: ({ proxy }) => Promise.resolve(proxy.blackHole()),
};
