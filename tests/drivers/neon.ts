import { neonConfig, Pool } from "@neondatabase/serverless";
import { WebSocket } from "ws";
import { asPool } from "../../src/db/pool/pool-like.js";
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

/** Sets the driver up for a proxy without TLS, and for servers that want something else than a password in clear text. */
export function connectThrough(proxy: WebSocketProxy): void {
  Object.assign(neonConfig, {
    ...{ webSocketConstructor: WebSocket, wsProxy: proxy.address, useSecureWebSocket: false },
    ...{ pipelineConnect: false },
  });
}
