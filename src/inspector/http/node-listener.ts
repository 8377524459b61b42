import { IncomingMessage, type ServerResponse } from "node:http";
import { createRequestListener } from "@remix-run/node-fetch-server";
import type { Inspector } from "../create-inspector.js";
import { refusal, withHeaders } from "./responses.js";

/**
 * Returns a listener for `node:http` and Express. Express may have parsed the body as JSON.
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
  // An inspector never fails, but a request may have an address that is none.
  const listener = createRequestListener((request) => inspector(request), { onError: malformed });
  return (incoming, outgoing) => {
    const location = locationWithSlash(incoming);
    if (location !== undefined) {
      outgoing.writeHead(308, { location }).end();
      return;
    }
    listener(withBody(incoming), outgoing);
  };
}

function malformed(): Response {
  return withHeaders(refusal(400, "BAD_REQUEST", "the address or the host of the request is malformed"));
}

/** Returns a request whose body a middleware has parsed as one whose body can be read: as JSON. */
function withBody(incoming: IncomingMessage): IncomingMessage {
  if (!incoming.readableEnded || !("body" in incoming)) return incoming;
  const { method, url, headers, socket } = incoming;
  const unread = Object.assign(new IncomingMessage(socket), { method, url, headers, complete: true });
  if (incoming.body !== undefined) unread.push(JSON.stringify(incoming.body));
  unread.push(null);
  return unread;
}

/**
 * Express removes the path of a router from the address, so the inspector can't see whether a slash is missing after it. Then the browser
 * would look for the files of the page beside the router.
 */
function locationWithSlash(incoming: IncomingMessage): string | undefined {
  if (!("originalUrl" in incoming) || typeof incoming.originalUrl !== "string") return undefined;
  const [, path = "", query = ""] = /^([^?]*)(.*)$/s.exec(incoming.originalUrl) ?? [];
  const isRoot = incoming.url?.split("?")[0] === "/";
  if (incoming.method !== "GET" || !isRoot || path.endsWith("/")) return undefined;
  // Relative, because a proxy may have removed the beginning of the path.
  return `./${path.slice(path.lastIndexOf("/") + 1)}/${query}`;
}
