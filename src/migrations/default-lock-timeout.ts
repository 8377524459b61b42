/** How long a migration waits for another migration, and for table locks, in milliseconds. */
export const DEFAULT_LOCK_TIMEOUT_MS = 60_000;
