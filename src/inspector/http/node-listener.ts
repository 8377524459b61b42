import { IncomingMessage, type ServerResponse } from "node:http";
import { Server } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import type { Inspector } from "../create-inspector.js";
import { packPageFile } from "./page-files.js";
import { bodyUsed, refusal, withHeaders } from "./responses.js";
import { unref } from "../../db/async/timers.js";

/**
 * Returns a listener for `node:http`, Express, Fastify and Nest. When the server is closed, it ends the streams of open pages, for which
 * the server would wait.
 *
 * Mount the inspector before `express.json()`, which takes at most 100 kB. What has read a body must leave it in `request.body`.
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
  return (incoming, outgoing) => {
    const location = locationWithSlash(incoming);
    if (location !== undefined) {
      outgoing.writeHead(308, { location }).end();
      return;
    }
    const server = serverOf(incoming);
    // Otherwise a page that goes on asking would keep its connection, and the server would wait for it.
    if (server?.listening === false) outgoing.setHeader("connection", "close");
    const listener = createRequestListener(
      async (request) => {
        const answer = isBodyGone(incoming) ? withHeaders(bodyUsed()) : await inspector(request);
        const response = packPageFile(request, answer);
        return server === undefined ? response : endWith(server, response, outgoing);
      },
      // An inspector never fails, but a request may have an address that is none.
      { onError: malformed },
    );
    listener(withBody(incoming), outgoing);
  };
}

/** The server that got a request. Node.js has no public name for it. */
function serverOf({ socket }: IncomingMessage): Server | undefined {
  return "server" in socket && socket.server instanceof Server ? socket.server : undefined;
}

function malformed(): Response {
  return withHeaders(refusal(400, "BAD_REQUEST", "the address or the host of the request is malformed"));
}

/** Whether something has read the body of a request, and has not left it in `request.body`. */
function isBodyGone(incoming: IncomingMessage): boolean {
  const { method, readableEnded, headers } = incoming;
  return (
    method === "POST" && readableEnded && headers["content-length"] !== "0" && bodyOf(incoming) === undefined
  );
}

/** What a middleware has left of a body. */
function bodyOf(incoming: IncomingMessage): unknown {
  return "body" in incoming ? incoming.body : undefined;
}

/** Returns a request whose body a middleware has read as one whose body can be read: as JSON, where the middleware has parsed it. */
function withBody(incoming: IncomingMessage): IncomingMessage {
  if (!incoming.readableEnded) return incoming;
  const { method, url, headers, socket } = incoming;
  const body = bodyOf(incoming);
  const unread = Object.assign(new IncomingMessage(socket), { method, url, headers, complete: true });
  if (body !== undefined) unread.push(isUnparsed(body) ? body : JSON.stringify(body));
  unread.push(null);
  return unread;
}

/** A parser of texts or of bytes leaves the body as it was sent. A call has an object. */
function isUnparsed(body: unknown): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
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

/** How often to look whether the server is being closed. Nothing announces it. */
const LOOK_EVERY_MS = 500;

/**
 * Ends a stream of events when its server is being closed: the server waits for open connections, and the application may close the saver
 * only after that.
 *
 * @param outgoing - What the stream is sent by.
 */
function endWith(server: Server, response: Response, outgoing: ServerResponse): Response {
  const { body, headers } = response;
  if (body === null || headers.get("content-type") !== "text/event-stream") return response;
  const ending = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => {
      let isEnding = false;
      const timer = setInterval(() => {
        if (server.listening) return;
        // A page that does not read does not read the end either.
        if (isEnding) outgoing.destroy();
        isEnding = true;
        controller.terminate();
      }, LOOK_EVERY_MS);
      unref(timer);
      outgoing.once("close", () => {
        clearInterval(timer);
      });
    },
  });
  return new Response(body.pipeThrough(ending), response);
}
