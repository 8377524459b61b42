import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { createEmbedServer } from "@langchain/langgraph-api/experimental/embed";
import type { Place } from "../client.js";

type Graph = Parameters<typeof createEmbedServer>[0]["graph"][string];

/** Serves a graph as `agent` by the routes of LangGraph's server, on a port that is free. */
export async function serve(
  { saver, store, conversations }: Place,
  agent: Graph,
): Promise<AsyncDisposable & { readonly url: string }> {
  const app = createEmbedServer({ graph: { agent }, threads: conversations, checkpointer: saver, store });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      // The streams of events stay open until their clients leave.
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
