import { refuseSnapshots } from "../saver/queries/take-locks.js";

/**
 * Lets a transaction go on that sees what others committed before its locks were granted.
 *
 * @throws InvalidConfigError for one that was lent and does not.
 */
export function readCommitted(rows: readonly { readonly isolation: string }[]): void {
  refuseSnapshots(rows, "prune and deleteForRuns need");
}
