import { setTimeout as pause } from "node:timers/promises";
import type { SaverCall } from "../../saver/call/saver-call.js";
import type { WatchEvent } from "../api/threads.js";
import type { InspectorContext } from "../inspector-context.js";
import { ThreadNews } from "./thread-news.js";
import { noop } from "../../db/async/noop.js";
import type { Listener } from "../../db/listening/listener.js";
import { InvalidConfigError } from "../../errors/index.js";
import { watchChannel, watchScope } from "../../saver/notifications/watch-channel.js";
import { onAbort } from "../../db/async/on-abort.js";

/** How often to look without an announcement: writes have none, and neither have checkpoints of savers that send none. */
const LOOK_EVERY_MS = 2_000;
/** A run that stores many checkpoints is looked at this often. */
const SHORTEST_PAUSE_MS = 100;

/**
 * Yields the newest checkpoints of a thread, and then each one that is stored, at once where its saver announces it. A checkpoint is
 * yielded again when it has other writes, such as an interrupt.
 *
 * @param signal - Ends the events, without an error.
 */
export async function* threadEvents(
  context: InspectorContext,
  threadId: string,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, undefined> {
  const call = { ...context.call, signal };
  const wake = new Wake();
  const unsubscribe = subscribe(call, threadId, wake.call);
  try {
    const news = new ThreadNews({ context, call }, threadId);
    yield* await news.begin();
    while (await wake.wait(LOOK_EVERY_MS, signal)) {
      yield* await news.look();
      await pause(SHORTEST_PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unsubscribe();
  }
  return undefined;
}

/** Whether the database of a saver can receive notifications. A passed-in Kysely can't. */
export function canListen(call: SaverCall): boolean {
  return listenerOf(call) !== undefined;
}

/**
 * Calls `heard` when a saver announces a checkpoint of the thread, and when announcements may have been missed.
 *
 * @returns A function that ends this.
 */
function subscribe(call: SaverCall, threadId: string, heard: () => void): () => void {
  const channel = watchChannel(watchScope(call.schema, call.policy.tenantId), threadId);
  // Without a connection that listens, the page still gets what the regular looks find.
  const subscriber = { heard, listening: heard, unreachable: noop, failed: noop };
  let end = noop;
  let hasEnded = false;
  void listenerOf(call)?.then((listener) => {
    if (!hasEnded) end = listener.subscribe(channel, subscriber);
  });
  return () => {
    hasEnded = true;
    end();
  };
}

function listenerOf({ database }: SaverCall): Promise<Listener> | undefined {
  try {
    return database.listener();
  } catch (error) {
    if (error instanceof InvalidConfigError) return undefined;
    throw error;
  }
}

/** Lets a loop wait until something has happened, or until it is time to look. */
class Wake {
  #isDue = false;
  #resolve: (() => void) | undefined;

  /** Ends the current wait, or the next one at once. */
  readonly call = (): void => {
    this.#isDue = true;
    this.#resolve?.();
  };

  /**
   * Waits for a call, at most this long. An abort ends the wait too.
   *
   * @returns Whether to go on: `false` after an abort.
   */
  async wait(longestMs: number, signal: AbortSignal): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    if (!this.#isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, longestMs);
        stop = onAbort(signal, () => {
          resolve();
        });
      });
    }
    clearTimeout(timer);
    stop?.();
    this.#resolve = undefined;
    this.#isDue = false;
    return !signal.aborted;
  }
}
