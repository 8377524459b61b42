import { afterLoopTime } from "../async/timers.js";
import { CheckpointError, ConnectionError } from "../../errors/index.js";
import type { RetryOptions } from "../statements/retry-transient.js";
import type { Subscriber } from "./listener.js";
import type { Telemetry } from "../../telemetry/telemetry.js";

/** The next task of a watch: handle what a notification says, or, after a gap in the notifications, search for what was missed. */
export type QueueItem<Notified> = Notified | { readonly kind: "gap" };

/** A longer queue becomes a gap: the watch searches for what it missed when the caller gets there. */
const MAX_QUEUED = 10_000;
const DEFAULT_MAX_ELAPSED_MS = 15_000;

/** How a watch reads notifications and reports its connection. */
export interface WatchedChannel<Notified> {
  /** Parses the payload of a notification; `undefined` if another program sent it. */
  readonly parse: (payload: string) => Notified | undefined;
  /** How long to retry the first connection. */
  readonly retry: RetryOptions | false;
  /** Logs that the connection was lost, or can't be opened. */
  readonly lost: (failure: Error) => void;
  /** Logs that the watch listens again after a loss. */
  readonly resumed: () => void;
}

/** Queues what the notifications of a channel say until the caller of a watch asks for the next one. */
export class NotificationQueue<Notified extends { readonly kind: string }> implements Subscriber {
  readonly #channel: WatchedChannel<Notified>;
  /** Whether the time for the first connection is over. */
  #isOver = false;
  readonly #stopTimer: () => void;
  #items: QueueItem<Notified>[] = [];
  /** Notifications that arrived before the confirmation of LISTEN. */
  readonly #early: QueueItem<Notified>[] = [];
  #isListening = false;
  #hasListened = false;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  constructor(channel: WatchedChannel<Notified>) {
    this.#channel = channel;
    const { maxElapsedMs = DEFAULT_MAX_ELAPSED_MS } = channel.retry === false ? {} : channel.retry;
    this.#stopTimer = afterLoopTime(maxElapsedMs, () => (this.#isOver = true), true);
  }

  /** Notifications may arrive before the server confirms LISTEN. They wait until the gap before them is queued. */
  heard(payload: string): void {
    const item = this.#channel.parse(payload);
    if (item === undefined) return;
    if (this.#isListening) this.offer(item);
    else if (this.#early.length < MAX_QUEUED) this.#early.push(item);
  }

  listening(): void {
    this.#stopTimer();
    if (this.#hasListened) this.#channel.resumed();
    this.#isListening = true;
    this.#hasListened = true;
    this.offer({ kind: "gap" });
    for (const item of this.#early.splice(0)) this.offer(item);
  }

  unreachable(failure: Error): void {
    this.#channel.lost(failure);
    this.#isListening = false;
    if (this.#hasListened) return;
    if (this.#channel.retry === false || this.#isOver) this.failed(failure);
  }

  failed(error: Error): void {
    this.#stopTimer();
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Queues an item that became known without a notification. */
  offer(item: QueueItem<Notified>): void {
    if (this.#end !== undefined) return;
    if (this.#items.length >= MAX_QUEUED) this.#items = [{ kind: "gap" }];
    else this.#items.push(item);
    this.#wake?.();
  }

  /** Closes the queue, and drops the items in it. */
  close(): void {
    this.#stopTimer();
    this.#end ??= { error: undefined };
    this.#items = [];
    this.#wake?.();
  }

  /**
   * Waits for the next item.
   *
   * @returns `undefined` once the queue is closed.
   * @throws CheckpointError when the listener has stopped trying.
   */
  async next(): Promise<QueueItem<Notified> | undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      if (this.#end?.error !== undefined) throw asCheckpointError(this.#end.error);
      if (this.#end !== undefined) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Takes the next item if it fulfils a condition. */
  takeIf<Taken extends QueueItem<Notified>>(
    isWanted: (item: QueueItem<Notified>) => item is Taken,
  ): Taken | undefined {
    const [item] = this.#items;
    if (item === undefined || !isWanted(item)) return undefined;
    this.#items.shift();
    return item;
  }
}

function asCheckpointError(error: Error): CheckpointError {
  return error instanceof CheckpointError
    ? error
    : new ConnectionError("can't listen for notifications", { cause: error });
}

// The watches of a process share a connection, and are told the same error.
const reported = new WeakMap<Error, WeakSet<Telemetry>>();

/** Reports that watches receive no notifications for now. Once for each loss, however many watches of a saver it affects. */
export function reportWatchLost(telemetry: Telemetry | undefined, failure: Error, threadId?: string): void {
  if (telemetry === undefined) return;
  const reporters = reported.get(failure) ?? new WeakSet();
  if (reporters.has(telemetry)) return;
  reported.set(failure, reporters.add(telemetry));
  telemetry.report("warn", "watches lost their connection, reconnecting", { error: failure, threadId });
}

/** Reports that a watch has resumed. */
export function reportWatchResumed(telemetry: Telemetry | undefined, threadId?: string): void {
  telemetry?.report("info", "watch resumed", { threadId });
}
