import type { ServerResponse } from "node:http";
import type { Server } from "node:net";
import { unref } from "../../db/async/timers.js";

/** How often to look whether the server is being closed. Nothing announces it. */
const LOOK_EVERY_MS = 500;

/**
 * Ends a stream of events when its server is being closed: the server waits for open connections, and the application may close the saver
 * only after that.
 *
 * @param outgoing - What the stream is sent by.
 */
export function endWith(server: Server, response: Response, outgoing: ServerResponse): Response {
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
