/** How long a migration waits for another, and for the tables that a query holds, in milliseconds. */
export const DEFAULT_LOCK_TIMEOUT_MS = 60_000;
