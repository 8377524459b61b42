import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import type { Inspector } from "../create-inspector.js";

/**
 * Returns a listener for `node:http` and Express.
 *
 * In Express, mount it before middleware that reads bodies.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { PostgresSaver } from "langgraph-checkpoint-kysely";
 * import { createInspector, nodeListener } from "langgraph-checkpoint-kysely/inspector";
 *
 * const saver = new PostgresSaver(process.env.DATABASE_URL ?? "");
 * const inspector = createInspector(saver, { authorize: (request) => request.headers.get("x-user") === "admin" });
 * createServer(nodeListener(inspector)).listen(8080, "127.0.0.1");
 * ```
 */
export function nodeListener(
  inspector: Inspector,
): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = createRequestListener(inspector);
  return (request, response) => { listener(request, response); };
}
