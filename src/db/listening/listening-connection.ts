import type { OnNotification } from "../sessions/connect-like-pool.js";

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
