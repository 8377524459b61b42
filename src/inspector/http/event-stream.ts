import { errorOf } from "./responses.js";

/** Proxies close a connection on which nothing is sent. */
const HEARTBEAT_MS = 15_000;

/** What is around a stream of events. */
export interface StreamOptions {
  /** Each of these signals ends the stream. */
  readonly ending: readonly AbortSignal[];
  /** Called with the error that ends the stream. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Answers with server-sent events: one `message` with JSON for each event. An error is an event `failure` with the code and the message, and
 * ends the stream.
 *
 * @param open - Starts the events. They end when the signal aborts, which it does when the page goes away.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<object>,
  { ending, onFailure }: StreamOptions,
): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, ...ending]);
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const send = (text: string): void => {
        if (!gone.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      // At once, so that the page knows that the stream is open.
      send(":\n\n");
      heartbeat = setInterval(send, HEARTBEAT_MS, ":\n\n");
      void sendAll(open(signal), { send, onFailure }).finally(() => {
        clearInterval(heartbeat);
        if (!gone.signal.aborted) controller.close();
      });
    },
    cancel: () => {
      clearInterval(heartbeat);
      gone.abort();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" } });
}

/** Never rejects. */
async function sendAll(
  events: AsyncIterable<object>,
  { send, onFailure }: Pick<StreamOptions, "onFailure"> & { readonly send: (text: string) => void },
): Promise<void> {
  try {
    for await (const event of events) send(`data: ${JSON.stringify(event)}\n\n`);
  } catch (error) {
    onFailure(error);
    send(`event: failure\ndata: ${JSON.stringify(errorOf(error))}\n\n`);
  }
}
