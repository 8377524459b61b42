import { WebSocketProxy } from "../../../test-support/web-socket-proxy.js";
import type { Place, Trial } from "../place.js";
import { withSource } from "./with-source.js";

/** Runs the agent while a proxy connects WebSockets with the server, as Neon's proxies do: the driver speaks with nothing else. */
function throughProxy(open: string): Trial {
  return async (project) => {
    const proxy = await WebSocketProxy.open();
    try {
      return await withSource(`${poolOn(proxy)}${open}`)(project);
    } finally {
      await proxy.close();
    }
  };
}

function poolOn({ address }: WebSocketProxy): string {
  return `
import { neonConfig, Pool } from "@neondatabase/serverless";
Object.assign(neonConfig, { wsProxy: "${address}", useSecureWebSocket: false, pipelineConnect: false });
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
`;
}

export const neon: Place = {
  name: "@neondatabase/serverless",
  kind: "Drivers and Kysely",
  packages: { "@neondatabase/serverless": "1.2.0" },
  tried: { "@neondatabase/serverless": "@neondatabase/serverless" },
  notes:
    "Its `Pool`, over WebSockets, on a proxy of the tests, not on Neon's own. Before Node.js 22 set `neonConfig.webSocketConstructor`. `handlePoolErrors(pool)` has the type that Kysely's dialect wants. `watch` needs the pool itself, and no `-pooler` host. Its function `neon()` does not work: it sends one statement by HTTP, without transactions and locks. [More](options.md#drivers).",
  trials: {
    pool: throughProxy("const source = pool;\nconst close = () => pool.end();\n"),
    "pool in Kysely": throughProxy(`
import { Kysely, PostgresDialect } from "kysely";
const source = new Kysely({ dialect: new PostgresDialect({ pool }) });
const close = () => source.destroy();
`),
  },
};
