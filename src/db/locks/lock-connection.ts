/** A connection that locks are held on, alone and for as long as there are any. */
export interface LockConnection {
  /** The number of the process that serves it, as the server said in the beginning; a pooler makes one up. */
  readonly processId?: unknown;
  /** Sends a statement without parameters and returns its rows. */
  readonly send: (sql: string) => Promise<unknown[]>;
  /** Gives the connection up. What is `broken` may have a transaction and locks left, which end with it. */
  readonly close: (state: "clean" | "broken") => void;
}

/**
 * Opens a connection.
 *
 * @param onLost - Called when it has died by itself, where that shows.
 */
export type ConnectForLocks = (onLost: (error: unknown) => void) => Promise<LockConnection>;
