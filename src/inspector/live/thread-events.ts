import { setTimeout } from "node:timers/promises";
import type { SaverCall } from "../../saver/call/saver-call.js";
import type { WatchEvent } from "../api/threads.js";
import { subscribe } from "./subscribe.js";
import { ThreadNews } from "./thread-news.js";
import { Wake } from "./wake.js";

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
  base: SaverCall,
  threadId: string,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, undefined> {
  const call = { ...base, signal };
  const wake = new Wake();
  const unsubscribe = subscribe(call, threadId, wake.call);
  try {
    const news = new ThreadNews(call, threadId);
    yield* await news.begin();
    while (await wake.wait(LOOK_EVERY_MS, signal)) {
      yield* await news.look();
      await setTimeout(SHORTEST_PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unsubscribe();
  }
  return undefined;
}
