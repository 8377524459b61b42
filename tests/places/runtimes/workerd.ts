import type { Place } from "../place.js";
import { textAt } from "../project/place-project.js";

const ASYNC_CONTEXT = "AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage())";

const WORKER = `
import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { runAgent } from "./agent.mjs";

${ASYNC_CONTEXT};
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== "/agent") return new Response("");
    return new Response(await runAgent(env.DATABASE_URL));
  },
};
`;

const CONFIGURATION = `
name = "place"
main = "worker.mjs"
compatibility_date = "2025-09-01"
compatibility_flags = ["nodejs_compat"]
`;

export const workerd: Place = {
  name: "Cloudflare Workers",
  kind: "Node.js and other runtimes",
  packages: { wrangler: "4.164.0" },
  tried: { Wrangler: "wrangler" },
  notes:
    'Set `compatibility_flags = ["nodejs_compat"]`. Wrangler takes the build of LangGraph for browsers, where `interrupt()` fails until it is ' +
    `given an async context: \`${ASYNC_CONTEXT}\`, from \`@langchain/core/singletons\` and \`node:async_hooks\`. Open the saver in the handler of ` +
    "a request and end it there, since a connection of a Worker belongs to one request. `file://` and SQLite don't work: a Worker has no disk.",
  trials: {
    "wrangler dev": async (project) => {
      await project.write({
        "worker.mjs": WORKER,
        "wrangler.toml": CONFIGURATION,
        ".dev.vars": `DATABASE_URL="${project.databaseUrl}"\n`,
      });
      const wrangler = await project.bin("wrangler");
      const options = ["--ip", "127.0.0.1", "--inspector-port", "0"];
      return project.serve(
        (port) => [wrangler, "dev", "--port", port, ...options],
        (origin) => textAt(`${origin}/agent`),
      );
    },
  },
};
