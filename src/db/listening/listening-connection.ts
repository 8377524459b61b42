import type { HearNotification } from "../locks/client-connection.js";

/** A connection that hears what `pg_notify` tells, until it is lost. */
export interface ListeningConnection {
  /** Aborts when it is lost, with the error that it died of. */
  readonly lost: AbortSignal;
  /** Begins and ends to listen to channels; from then on what is committed is heard. */
  readonly change: (changes: ChannelChanges) => Promise<void>;
  /** Gives the connection up. */
  readonly close: () => Promise<void>;
}

/** Channels by name: each of small letters, digits and underscores alone. */
export interface ChannelChanges {
  readonly listen: readonly string[];
  readonly unlisten: readonly string[];
}

/**
 * Opens a connection.
 *
 * @param hear - Called for each notification, in the order of their commits.
 */
export type ConnectForListening = (hear: HearNotification) => Promise<ListeningConnection>;
