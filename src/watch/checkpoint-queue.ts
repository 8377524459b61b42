import type { Subscriber } from "../db/listening/listener.js";
import type { RetryOptions } from "../db/statements/retry-transient.js";
import { CheckpointError, ConnectionError } from "../errors/index.js";
import { type CheckpointRef, parseNotification } from "../saver/notifications/watch-channel.js";
import type { Source } from "./seen-checkpoints.js";

/** A checkpoint that was stored, and how it became known. */
export interface QueuedCheckpoint {
  readonly kind: "checkpoint";
  readonly checkpoint: CheckpointRef;
  readonly source: Source;
}

/** The next task of a watch: read a checkpoint, or, after a gap in the notifications, search for the missed ones. */
export type QueueItem = QueuedCheckpoint | { readonly kind: "gap" };

/** A longer queue becomes a gap: the watch searches for its checkpoints when the caller gets there. */
const MAX_QUEUED = 10_000;
const DEFAULT_MAX_ELAPSED_MS = 15_000;

/** Logs what happens to the listening connection. */
export interface ConnectionLog {
  readonly lost: (failure: Error) => void;
  readonly listening: () => void;
}

/** Queues the stored checkpoints of a thread until the caller of a watch asks for the next one. */
export class CheckpointQueue implements Subscriber {
  readonly #retry: RetryOptions | false;
  readonly #log: ConnectionLog;
  readonly #startedAt = performance.now();
  #items: QueueItem[] = [];
  /** Notifications that arrived before the confirmation of LISTEN. */
  readonly #early: QueueItem[] = [];
  #isListening = false;
  #hasListened = false;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  /** @param retry - How long to retry the first connection. */
  constructor(retry: RetryOptions | false, log: ConnectionLog) {
    this.#retry = retry;
    this.#log = log;
  }

  /** Notifications may arrive before the server confirms LISTEN. They wait until the gap before them is queued. */
  heard(payload: string): void {
    const checkpoint = parseNotification(payload);
    if (checkpoint === undefined) return;
    const item = { kind: "checkpoint", checkpoint, source: "notified" } as const;
    if (this.#isListening) this.#add(item);
    else if (this.#early.length < MAX_QUEUED) this.#early.push(item);
  }

  /** Queues a checkpoint that this process has stored. */
  offer(checkpoint: CheckpointRef): void {
    this.#add({ kind: "checkpoint", checkpoint, source: "found" });
  }

  listening(): void {
    if (this.#hasListened) this.#log.listening();
    this.#isListening = true;
    this.#hasListened = true;
    this.#add({ kind: "gap" });
    for (const item of this.#early.splice(0)) this.#add(item);
  }

  unreachable(failure: Error): void {
    this.#log.lost(failure);
    this.#isListening = false;
    if (this.#hasListened) return;
    const elapsed = performance.now() - this.#startedAt;
    const { maxElapsedMs = DEFAULT_MAX_ELAPSED_MS } = this.#retry === false ? {} : this.#retry;
    if (this.#retry === false || elapsed > maxElapsedMs) this.failed(failure);
  }

  failed(error: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Closes the queue, and drops the items in it. */
  close(): void {
    this.#end ??= { error: undefined };
    this.#items = [];
    this.#wake?.();
  }

  /**
   * Waits for the next item.
   *
   * @returns `undefined` once the queue is closed.
   * @throws CheckpointError when the listener has given up.
   */
  async next(): Promise<QueueItem | undefined> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      if (this.#end?.error !== undefined) throw asCheckpointError(this.#end.error);
      if (this.#end !== undefined) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /**
   * Takes the next item if it is a checkpoint with a smaller id than one that was found in a gap. The search of the gap doesn't
   * find it when it counts as seen, such as a checkpoint made before the watch started.
   */
  takeEarlierThan(checkpointId: string): QueuedCheckpoint | undefined {
    const [item] = this.#items;
    if (item?.kind !== "checkpoint" || item.checkpoint.checkpointId >= checkpointId) return undefined;
    this.#items.shift();
    return item;
  }

  #add(item: QueueItem): void {
    if (this.#end !== undefined) return;
    if (this.#items.length >= MAX_QUEUED) this.#items = [{ kind: "gap" }];
    else this.#items.push(item);
    this.#wake?.();
  }
}

function asCheckpointError(error: Error): CheckpointError {
  return error instanceof CheckpointError
    ? error
    : new ConnectionError("can't listen for notifications", { cause: error });
}
