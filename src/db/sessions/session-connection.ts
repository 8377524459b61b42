/** A connection that is used for long by one session, which holds locks or listens. */
export interface SessionConnection {
  /** The process id of its backend, as the server reported it on connecting. A pooler makes one up. */
  readonly processId?: unknown;
  /** Sends a statement without parameters and returns its rows. */
  readonly send: (sql: string) => Promise<unknown[]>;
  /** Closes the connection. A `broken` one may still have a transaction and locks, which end with it. */
  readonly close: (state: "clean" | "broken") => void;
}

/**
 * Opens a connection.
 *
 * @param onLost - Called when the connection dies, where that shows by itself.
 */
export type OpenSessionConnection = (onLost: (error: unknown) => void) => Promise<SessionConnection>;
