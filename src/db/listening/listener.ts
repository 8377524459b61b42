import { onAbort } from "../async/on-abort.js";
import { growingPauses } from "../async/retry.js";
import { isTransient } from "../statements/retry-transient.js";
import { toDatabaseError } from "../to-database-error.js";
import { noop } from "../async/noop.js";
import type { OnNotification } from "../sessions/connect-like-pool.js";
import { ownErrorOf } from "../../errors/thrown.js";
import { outsideCalls } from "../../telemetry/running-calls.js";

/** Receives the notifications of a channel. */
export interface Subscriber {
  /** Called for each notification, in the order of the commits. */
  heard(payload: string): void;
  /**
   * Called when the connection listens: nothing is missed from now on, but earlier notifications may have
   * been. Called again after each loss.
   */
  listening(): void;
  /** The connection was lost or can't be opened. The listener tries again. */
  unreachable(failure: Error): void;
  /** No more notifications will arrive. The listener has given up. */
  failed(error: Error): void;
}

/** The pauses between attempts to reconnect. */
export const RECONNECT_PAUSES = growingPauses(50, 5_000);

/**
 * Listens to any number of channels on one connection. It opens the connection for the first subscriber,
 * closes it after the last, and opens another one when it is lost.
 */
export class Listener {
  readonly #connect: OpenListeningConnection;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** Channels that have gained or lost subscribers. */
  #changed = new Set<string>();
  #wake: () => void = noop;
  #isRunning = false;

  constructor(connect: OpenListeningConnection) {
    this.#connect = connect;
  }

  /** @returns A function that unsubscribes, which may be called more than once. */
  subscribe(channel: string, subscriber: Subscriber): () => void {
    const known = this.#subscribers.get(channel);
    if (known === undefined) this.#subscribers.set(channel, new Set([subscriber]));
    else known.add(subscriber);
    this.#change(channel);
    if (!this.#isRunning) void outsideCalls(() => this.#run());
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

  /** Runs until there are no subscribers. Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let failures = 0; this.#subscribers.size > 0;) {
      try {
        const connection = await this.#connect((channel, payload) => {
          this.#callEach(this.#subscribers.get(channel), (subscriber) => {
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

  /** Listens to the channels of the subscribers until there are none, or the connection is lost. */
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
        this.#callEach(this.#subscribers.get(channel), (subscriber) => {
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

  /** @throws the error of the lost connection. */
  async #untilChange(lost: AbortSignal): Promise<void> {
    let stop = noop;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        stop = onAbort(lost, reject);
      });
    } finally {
      stop();
      this.#wake = noop;
    }
  }

  async #recover(failure: Error, failures: number): Promise<void> {
    const isFinal = !isTransient(failure);
    for (const subscribers of [...this.#subscribers.values()]) {
      this.#callEach(subscribers, (subscriber) => {
        if (isFinal) subscriber.failed(ownErrorOf(failure));
        else subscriber.unreachable(failure);
      });
    }
    if (isFinal) this.#subscribers.clear();
    if (this.#subscribers.size === 0) return;
    await this.#pause(RECONNECT_PAUSES(failures));
  }

  /** Waits, but ends early when there are no more subscribers. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = noop;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wake = () => {
        if (this.#subscribers.size === 0) end();
      };
    });
  }

  // Iterates over a copy, since a subscriber may unsubscribe while it is called.
  #callEach(subscribers: ReadonlySet<Subscriber> | undefined, call: (subscriber: Subscriber) => void): void {
    for (const subscriber of [...(subscribers ?? [])]) call(subscriber);
  }
}

/** A connection that receives notifications of `pg_notify` until it is lost. */
export interface ListeningConnection {
  /** Aborts when the connection is lost. The reason is the error. */
  readonly lost: AbortSignal;
  /**
   * Starts and stops listening to channels. Resolves when everything committed from then on will be received.
   */
  readonly change: (changes: ChannelChanges) => Promise<void>;
  /** Closes the connection. */
  readonly close: () => Promise<void>;
}

/** Channels by name. A name has only lower-case letters, digits and underscores. */
export interface ChannelChanges {
  readonly listen: readonly string[];
  readonly unlisten: readonly string[];
}

/**
 * Opens a connection.
 *
 * @param onNotification - Called for each notification, in the order of the commits.
 */
export type OpenListeningConnection = (onNotification: OnNotification) => Promise<ListeningConnection>;
