import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { Route } from "../measure/route.js";
import { programBeside } from "../program-beside.js";

const PROGRAM = programBeside(import.meta.url, "delay-proxy");

const Listening = z.tuple([z.object({ port: z.number() })]).rest(z.unknown());

/** A route through a proxy. */
export interface DelayedRoute extends Route {
  stop(): Promise<void>;
}

/**
 * Starts a proxy in front of a server.
 *
 * @param serverUrl - The connection string of any database of the server.
 * @param latencyMs - The delay in each direction.
 */
export async function startDelayProxy(serverUrl: string, latencyMs: number): Promise<DelayedRoute> {
  const { hostname, port } = new URL(serverUrl);
  const proxy = fork(PROGRAM.path, [hostname, port || "5432", String(latencyMs)], {
    execArgv: [...PROGRAM.execArgv],
  });
  const [address] = Listening.parse(await once(proxy, "message"));
  return {
    latencyMs,
    via: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.hostname = "127.0.0.1";
      url.port = String(address.port);
      return url.href;
    },
    stop: async () => {
      const exit = once(proxy, "exit");
      proxy.kill();
      await exit;
    },
  };
}
