import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { loadOnce } from "../db/async/load-once.js";
import type { CallContext } from "../db/call-context.js";
import { registerStartingWatch, watchChannel, watchScope } from "../saver/notifications/watch-channel.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { WatchCall } from "./watch-options.js";

const loadWatch = loadOnce(() => import("./watch-thread.js"));

/**
 * Starts a watch at the first `next()`; see `watchThread`. From this moment on no checkpoint of this process is missed, while the rest is
 * loaded and the connection opens.
 */
export async function* startWatch(
  call: CallContext,
  given: WatchCall,
  serde: ContextualSerializer,
  ending: readonly AbortSignal[],
): AsyncGenerator<CheckpointTuple, undefined> {
  const scope = watchScope(call.schema, call.policy.tenantId);
  const starting = registerStartingWatch(watchChannel(scope, textOf(given.threadId)));
  try {
    const { watchThread } = await loadWatch();
    return yield* watchThread(call, given, serde, ending, starting);
  } finally {
    starting.stop();
  }
}

/** The thread as text. What is no thread is refused by the watch. */
function textOf(threadId: unknown): string {
  return typeof threadId === "string" || typeof threadId === "number" ? String(threadId) : "";
}
