import { refuseSnapshots } from "../saver/queries/take-locks.js";

/**
 * Checks that the transaction sees what others committed before it was granted its locks.
 *
 * @throws InvalidConfigError if a passed-in transaction has another isolation level.
 */
export function requireReadCommitted(rows: readonly { readonly isolation: string }[]): void {
  refuseSnapshots(rows, "prune and deleteForRuns need");
}
