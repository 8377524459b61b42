import { joinSignals, onAbort } from "../../db/async/on-abort.js";
import { unref } from "../../db/async/timers.js";
import { errorOf } from "./responses.js";

/**
 * How long a stream lasts before the page has to open the next one, or the application is asked again. Proxies close a connection on which
 * nothing is sent for a minute, a server that shuts down waits for its connections, and a person may have lost access meanwhile.
 */
const LONGEST_MS = 20_000;
/** How long the browser waits before it opens the next stream, also again and again while there is no server. */
const RECONNECT_MS = 500;
/** The same after a stream that has lasted long enough, so that what is stored meanwhile is not late. */
const CONTINUE_MS = 50;

const HEADERS = {
  "content-type": "text/event-stream",
  // A middleware that compresses would keep the events until it has enough of them.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  // On the same connection a server that shuts down would get the next stream as well.
  connection: "close",
};

/** What is around a stream of events. */
interface StreamOptions {
  /**
   * For a stream that lasts until its events end, since no other one could have them: says every {@link LONGEST_MS} whether it may go on.
   * Default: the stream ends after that time.
   */
  readonly isStillAllowed?: () => Promise<boolean>;
  /** Each of these signals ends the stream. */
  readonly ending: readonly AbortSignal[];
  /** Called with the error that ends the stream. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Answers with server-sent events: one `message` with JSON for each event. An error is an event `failure` with the code and the message, and
 * ends the stream. The next event is asked for when the last one has been sent, so that a page that does not read makes nothing pile up.
 *
 * @param open - Starts the events. They end when the signal aborts, which it does when the page goes away.
 */
export function eventStream(
  open: (signal: AbortSignal) => AsyncIterable<object>,
  { ending, onFailure, isStillAllowed }: StreamOptions,
): Response {
  const over = new AbortController();
  const { signal, release } = joinSignals([over.signal, ...ending]);
  const texts = textsOf(open(signal), onFailure, over.signal);
  let allowed = Promise.resolve(true);
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const waitForEnd = (): void => {
    timer = setTimeout(() => {
      if (isStillAllowed === undefined) {
        over.abort();
        return;
      }
      allowed = isStillAllowed();
      void allowed.then((goesOn) => {
        if (!goesOn) over.abort();
        else if (!hasEnded) waitForEnd();
      });
    }, LONGEST_MS);
    unref(timer);
  };
  waitForEnd();
  const end = (): void => {
    hasEnded = true;
    clearTimeout(timer);
    release();
  };
  onAbort(signal, () => {
    end();
    // Where nobody reads, nobody asks for the end either.
    void texts.return(undefined);
  });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await texts.next();
      // An event that came while the application was asked waits for its answer.
      if (done !== true && (await allowed)) {
        controller.enqueue(encoder.encode(value));
        return;
      }
      end();
      controller.close();
    },
    cancel: () => {
      over.abort();
    },
  });
  return new Response(body, { headers: HEADERS });
}

async function* textsOf(
  events: AsyncIterable<object>,
  onFailure: StreamOptions["onFailure"],
  over: AbortSignal,
): AsyncGenerator<string, undefined> {
  // At once, so that the page knows that the stream is open.
  yield `retry: ${RECONNECT_MS}\n\n`;
  try {
    for await (const event of events) yield `data: ${JSON.stringify(event)}\n\n`;
    if (over.aborted) yield `retry: ${CONTINUE_MS}\n\n`;
  } catch (error) {
    onFailure(error);
    yield `event: failure\ndata: ${JSON.stringify(errorOf(error))}\n\n`;
  }
  return undefined;
}
