import { CheckpointError, ConnectionError } from "../errors/index.js";
import type { Subscriber } from "../db/listening/listener.js";
import type { RetryOptions } from "../db/statements/retry-transient.js";
import type { Source } from "./seen-checkpoints.js";
import { parseTold, type ToldCheckpoint } from "../saver/notifications/watch-channel.js";

/** A checkpoint that was stored, and how that became known. */
export interface StoredNews {
  readonly kind: "checkpoint";
  readonly checkpoint: ToldCheckpoint;
  readonly source: Source;
}

/** What a watch has to do next: look at a checkpoint, or look for those that it was not told of. */
export type News = StoredNews | { readonly kind: "gap" };

/** More than that are not kept: they are looked for when the caller has come that far. */
const MAX_QUEUED = 10_000;
const DEFAULT_MAX_ELAPSED_MS = 15_000;

/** What happens to a connection, for a log. */
export interface NewsLog {
  readonly lost: (failure: Error) => void;
  readonly listening: () => void;
}

/** The news of a thread, kept until the caller wants to hear them. */
export class CheckpointNews implements Subscriber {
  readonly #retry: RetryOptions | false;
  readonly #log: NewsLog;
  readonly #began = performance.now();
  #queue: News[] = [];
  /** Heard while it was not known to listen. */
  readonly #early: News[] = [];
  #isListening = false;
  #hasListened = false;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = nothing;

  /** @param retry - How long the first connection is tried for. */
  constructor(retry: RetryOptions | false, log: NewsLog) {
    this.#retry = retry;
    this.#log = log;
  }

  /** The server may tell of something before it says that it does from now on: what was missed comes before that. */
  heard(payload: string): void {
    const checkpoint = parseTold(payload);
    if (checkpoint === undefined) return;
    const news = { kind: "checkpoint", checkpoint, source: "told" } as const;
    if (this.#isListening) this.#add(news);
    else if (this.#early.length < MAX_QUEUED) this.#early.push(news);
  }

  /** A checkpoint that was stored by this process. */
  offer(checkpoint: ToldCheckpoint): void {
    this.#add({ kind: "checkpoint", checkpoint, source: "found" });
  }

  listening(): void {
    if (this.#hasListened) this.#log.listening();
    this.#isListening = true;
    this.#hasListened = true;
    this.#add({ kind: "gap" });
    for (const news of this.#early.splice(0)) this.#add(news);
  }

  unreachable(failure: Error): void {
    this.#log.lost(failure);
    this.#isListening = false;
    if (this.#hasListened) return;
    const elapsed = performance.now() - this.#began;
    const { maxElapsedMs = DEFAULT_MAX_ELAPSED_MS } = this.#retry === false ? {} : this.#retry;
    if (this.#retry === false || elapsed > maxElapsedMs) this.failed(failure);
  }

  failed(error: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** Ends it: nothing more is handed out. */
  close(): void {
    this.#end ??= { error: undefined };
    this.#queue = [];
    this.#wake();
  }

  /**
   * The next news, once there are any.
   *
   * @returns `undefined` when it has been closed.
   * @throws what makes it impossible to hear anything.
   */
  async next(): Promise<News | undefined> {
    for (;;) {
      const news = this.#queue.shift();
      if (news !== undefined) return news;
      if (this.#end?.error !== undefined) throw asCheckpointError(this.#end.error);
      if (this.#end !== undefined) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /**
   * What comes before a checkpoint that was found in a gap: it was not found itself where it counts as seen, as what was
   * made before the watch began.
   *
   * @returns The next news if they are a checkpoint of an earlier id; else `undefined`.
   */
  takeEarlierThan(checkpointId: string): StoredNews | undefined {
    const [news] = this.#queue;
    if (news?.kind !== "checkpoint" || news.checkpoint.checkpointId >= checkpointId) return undefined;
    this.#queue.shift();
    return news;
  }

  #add(news: News): void {
    if (this.#end !== undefined) return;
    if (this.#queue.length >= MAX_QUEUED) this.#queue = [{ kind: "gap" }];
    else this.#queue.push(news);
    this.#wake();
  }
}

function asCheckpointError(error: Error): CheckpointError {
  return error instanceof CheckpointError ? error : new ConnectionError("not listening", { cause: error });
}

function nothing(): void {
  // Nobody waits.
}
