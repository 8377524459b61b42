import { AsyncResource } from "node:async_hooks";
import { ConnectionError } from "../../errors/index.js";
import { onAbort } from "../async/on-abort.js";
import type { CallContext } from "../call-context.js";
import { abortErrorOf, throwIfAborted } from "../statements/cancellation.js";
import { type Listener, type Subscriber, RECONNECT_PAUSES } from "./listener.js";
import { NotificationQueue, type WatchedChannel } from "./notification-queue.js";
import { retry } from "../async/retry.js";
import { isTransient } from "../statements/retry-transient.js";

/** What a watch listens to, and what ends it. */
export interface Watching<Notified> {
  /** The name of the channel. */
  readonly name: string;
  readonly channel: WatchedChannel<Notified>;
  /** Returns the listener, or throws where the database can't listen. */
  readonly listener: () => Promise<Listener>;
  /** Ends the watch with an AbortError. */
  readonly signal: AbortSignal | undefined;
  /** Each of these signals ends the watch without an error. */
  readonly ending: readonly AbortSignal[];
}

/**
 * Listens to a channel until a signal ends the watch or its consumer stops, and yields what `read` makes of the notifications.
 *
 * @param read - Receives the call with a signal that ends with the watch. It runs once the watch has subscribed.
 * @throws AbortError when the signal of the watch aborts.
 */
export async function* watchUntilEnded<
  Call extends CallContext,
  Notified extends { readonly kind: string },
  T,
>(
  call: Call,
  { name, channel, listener, signal, ending }: Watching<Notified>,
  read: (call: Call, queue: NotificationQueue<Notified>) => AsyncGenerator<T>,
): AsyncGenerator<T, undefined> {
  throwIfAborted(signal);
  if (call.database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const stop = new AbortController();
  const queue = new NotificationQueue(channel);
  const cleanups: (() => void)[] = [];
  try {
    const connection = await listener();
    const unsubscribe = connection.subscribe(name, inCallersContext(queue));
    cleanups.push(unsubscribe);
    for (const each of [signal, ...ending]) {
      const end = (reason: unknown): void => {
        stop.abort(reason);
        queue.close();
        // At once: the caller may never call next() again.
        unsubscribe();
      };
      cleanups.push(onAbort(each, end));
    }
    yield* read({ ...call, signal: stop.signal }, queue);
    throwIfAborted(signal);
  } catch (error) {
    if (signal?.aborted === true) throw abortErrorOf(signal, error);
    if (!stop.signal.aborted) throw error;
  } finally {
    for (const cleanup of cleanups) cleanup();
    queue.close();
  }
  return undefined;
}

/** The listener serves several watches. What it tells this one, it tells as code of the caller. */
function inCallersContext(subscriber: Subscriber): Subscriber {
  return {
    heard: AsyncResource.bind((payload: string) => {
      subscriber.heard(payload);
    }),
    listening: AsyncResource.bind(() => {
      subscriber.listening();
    }),
    unreachable: AsyncResource.bind((failure: Error) => {
      subscriber.unreachable(failure);
    }),
    failed: AsyncResource.bind((error: Error) => {
      subscriber.failed(error);
    }),
  };
}

/** Retries transient errors without a bound: a watch lasts longer than the retries of one call. */
export function untilReachable<T>({ policy, signal }: CallContext, read: () => Promise<T>): Promise<T> {
  const afterError = (error: unknown): boolean => policy.retry !== false && isTransient(error);
  return retry(read, { pauseMs: RECONNECT_PAUSES, signal, afterError });
}
