import type { Place } from "../place.js";
import { withSource } from "./with-source.js";

/** Connects WebSockets with the server, as Neon's proxies do, since the driver speaks with nothing else. */
const PROXY = `
import { once } from "node:events";
import { connect } from "node:net";
import { neonConfig, Pool } from "@neondatabase/serverless";
import { createWebSocketStream, WebSocket, WebSocketServer } from "ws";

const { hostname, port } = new URL(process.env.DATABASE_URL);
const proxy = new WebSocketServer({ host: "127.0.0.1", port: 0 });
proxy.on("connection", (socket) => {
  const client = createWebSocketStream(socket);
  const upstream = connect(Number(port), hostname);
  client.on("error", () => upstream.destroy()).on("close", () => upstream.end());
  upstream.on("error", () => client.destroy()).on("close", () => client.end());
  client.pipe(upstream).pipe(client);
});
await once(proxy, "listening");
Object.assign(neonConfig, {
  webSocketConstructor: WebSocket,
  wsProxy: "127.0.0.1:" + proxy.address().port + "/v1",
  useSecureWebSocket: false,
  pipelineConnect: false,
});
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
`;

export const neon: Place = {
  name: "@neondatabase/serverless",
  kind: "Drivers and Kysely",
  packages: { "@neondatabase/serverless": "1.2.0", ws: "8.23.0" },
  tried: { "@neondatabase/serverless": "@neondatabase/serverless" },
  notes:
    "Its `Pool`, over WebSockets, on a proxy of the tests, not on Neon's own. Before Node.js 22 set `neonConfig.webSocketConstructor`. `handlePoolErrors(pool)` has the type that Kysely's dialect wants. `watch` needs the pool itself, and no `-pooler` host. Its function `neon()` does not work: it sends one statement by HTTP, without transactions and locks. [More](options.md#drivers).",
  trials: {
    pool: withSource(`${PROXY}
const source = pool;
const close = async () => {
  await pool.end();
  proxy.close();
};
`),
    "pool in Kysely": withSource(`${PROXY}
import { Kysely, PostgresDialect } from "kysely";
const source = new Kysely({ dialect: new PostgresDialect({ pool }) });
const close = async () => {
  await source.destroy();
  proxy.close();
};
`),
  },
};
