import { DatabaseError } from "../../errors/index.js";
import { growingPauseMs } from "../async/growing-pause.js";
import { onAbort } from "../async/on-abort.js";
import { toDatabaseError } from "../to-database-error.js";
import type { ConnectForListening, ListeningConnection } from "./listening-connection.js";

/** Who wants to hear what is told on a channel. */
export interface Subscriber {
  /** A notification, in the order of the commits. */
  heard(payload: string): void;
  /** From now on nothing is missed, but what was told before may have been. Called again after each loss. */
  listening(): void;
  /** The connection was lost, or can't be made; it is tried again. */
  unreachable(failure: Error): void;
  /** Nothing will be heard any more: it is of no use to try again. */
  failed(error: Error): void;
}

/** Between attempts to reach a server that is lost. */
export const RECONNECT_PAUSES = { firstMs: 50, longestMs: 5_000 };

/**
 * Listens to any number of channels on one connection: it is made for the first subscriber, and given up after the last.
 * When it is lost, another is made, for as long as somebody subscribes.
 */
export class Listener {
  readonly #connect: ConnectForListening;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** Channels that somebody has begun or ceased to subscribe to. */
  #changed = new Set<string>();
  #wake: () => void = nothing;
  #isRunning = false;

  constructor(connect: ConnectForListening) {
    this.#connect = connect;
  }

  /** @returns How to cease to subscribe, which may be called more than once. */
  subscribe(channel: string, subscriber: Subscriber): () => void {
    const known = this.#subscribers.get(channel);
    if (known === undefined) this.#subscribers.set(channel, new Set([subscriber]));
    else known.add(subscriber);
    this.#change(channel);
    if (!this.#isRunning) void this.#run();
    return () => {
      const others = this.#subscribers.get(channel);
      if (others?.delete(subscriber) !== true) return;
      if (others.size === 0) this.#subscribers.delete(channel);
      this.#change(channel);
    };
  }

  #change(channel: string): void {
    this.#changed.add(channel);
    this.#wake();
  }

  /** Until nobody subscribes; never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let failures = 0; this.#subscribers.size > 0;) {
      try {
        const connection = await this.#connect((channel, payload) => {
          this.#tell(this.#subscribers.get(channel), (subscriber) => {
            subscriber.heard(payload);
          });
        });
        failures = 0;
        await this.#serve(connection);
      } catch (error) {
        await this.#recover(toDatabaseError(error), failures++);
      }
    }
    this.#isRunning = false;
  }

  /** Follows what is subscribed to; until nobody is left, or the connection is lost. */
  async #serve(connection: ListeningConnection): Promise<void> {
    const active = new Set<string>();
    const listening = new Set<Subscriber>();
    this.#changed = new Set(this.#subscribers.keys());
    while (this.#subscribers.size > 0) {
      const changed = [...this.#changed];
      this.#changed.clear();
      const listen = changed.filter((channel) => this.#subscribers.has(channel) && !active.has(channel));
      const unlisten = changed.filter((channel) => !this.#subscribers.has(channel) && active.has(channel));
      await connection.change({ listen, unlisten });
      for (const channel of listen) active.add(channel);
      for (const channel of unlisten) active.delete(channel);
      for (const channel of changed) {
        if (!active.has(channel)) continue;
        this.#tell(this.#subscribers.get(channel), (subscriber) => {
          if (listening.has(subscriber)) return;
          listening.add(subscriber);
          subscriber.listening();
        });
      }
      if (this.#changed.size === 0 && this.#subscribers.size > 0) await this.#untilChange(connection.lost);
    }
    await connection.change({ listen: [], unlisten: [...active] });
    await connection.close();
  }

  /** @throws what the connection died of. */
  async #untilChange(lost: AbortSignal): Promise<void> {
    let stop = nothing;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        stop = onAbort(lost, reject);
      });
    } finally {
      stop();
      this.#wake = nothing;
    }
  }

  async #recover(failure: Error, failures: number): Promise<void> {
    const isFinal = !(failure instanceof DatabaseError && failure.transient);
    for (const subscribers of [...this.#subscribers.values()]) {
      this.#tell(subscribers, (subscriber) => {
        if (isFinal) subscriber.failed(failure);
        else subscriber.unreachable(failure);
      });
    }
    if (isFinal) this.#subscribers.clear();
    if (this.#subscribers.size === 0) return;
    await this.#pause(growingPauseMs(failures, RECONNECT_PAUSES));
  }

  /** No longer than somebody subscribes. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = nothing;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wake = () => {
        if (this.#subscribers.size === 0) end();
      };
    });
  }

  // A subscriber may leave when it is told.
  #tell(subscribers: ReadonlySet<Subscriber> | undefined, tell: (subscriber: Subscriber) => void): void {
    for (const subscriber of [...(subscribers ?? [])]) tell(subscriber);
  }
}

function nothing(): void {
  // Nobody waits.
}
