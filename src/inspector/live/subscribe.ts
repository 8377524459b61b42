import { noop } from "../../db/async/noop.js";
import type { Listener } from "../../db/listening/listener.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { SaverCall } from "../../saver/call/saver-call.js";
import { watchChannel, watchScope } from "../../saver/notifications/watch-channel.js";

/** Whether the database of a saver can receive notifications. A passed-in Kysely can't. */
export function canListen(call: SaverCall): boolean {
  return listenerOf(call) !== undefined;
}

/**
 * Calls `heard` when a saver announces a checkpoint of the thread, and when announcements may have been missed.
 *
 * @returns A function that ends this.
 */
export function subscribe(call: SaverCall, threadId: string, heard: () => void): () => void {
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
