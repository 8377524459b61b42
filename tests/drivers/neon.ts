import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import { neonConfig, Pool } from "@neondatabase/serverless";
import { WebSocket } from "ws";
import { asPool } from "../../src/db/pool/client-like.js";
import { WebSocketProxy } from "../../test-support/web-socket-proxy.js";
import type { Driver } from "./driver.js";

/** The driver of Neon, whose connections are WebSockets to a proxy. */
export const NEON: Driver = {
  name: "@neondatabase/serverless",
  openPool: ({ connectionString = "", ...config }) => {
    // Its types of parsers differ from those of `pg`.
    return asPool(
      new Pool({ ...config, types: undefined, connectionString: WebSocketProxy.rename(connectionString) }),
    );
  },
};

/** Loads the driver as a runtime without `Buffer` does, where it uses a class of its own for bytes. */
export async function loadWithoutBuffer(proxy: WebSocketProxy): Promise<typeof Pool> {
  const load = createRequire(import.meta.url);
  const source = await readFile(load.resolve("@neondatabase/serverless"), "utf8");
  type Run = (...values: readonly object[]) => void;
  const run = compileFunction(source, ["module", "exports", "require", "globalThis"]) as Run;
  const loaded = { exports: {} as { readonly Pool: typeof Pool; readonly neonConfig: typeof neonConfig } };
  run(loaded, loaded.exports, load, Object.create(globalThis, { Buffer: { value: undefined } }) as object);
  connectThrough(proxy, loaded.exports.neonConfig);
  return loaded.exports.Pool;
}

/** Sets the driver up for a proxy without TLS, and for servers that want something else than a password in clear text. */
export function connectThrough(proxy: WebSocketProxy, config = neonConfig): void {
  Object.assign(config, {
    ...{ webSocketConstructor: WebSocket, wsProxy: proxy.address, useSecureWebSocket: false },
    ...{ pipelineConnect: false },
  });
}
