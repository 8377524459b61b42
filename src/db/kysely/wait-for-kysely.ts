import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../checkpoint-database.js";
import { type ConnectionWaits, type Wait, waitsOf } from "../connection-waits.js";
import type { RunContext } from "../statements/transaction-steps.js";
import { hasOneConnection } from "./plain-kysely.js";

/** What is said about the one connection of a PGlite. */
export const PGLITE_STANDSTILL =
  "the one connection of the PGlite, which a transaction of the application seems to hold. A call can't end while the transaction " +
  "that waits for it is open: make the call after it, or begin the transaction with a Kysely (PGliteDialect), and pass the saver that " +
  "Transaction";

/**
 * How long a call waits for that connection, in milliseconds, where no option says so. It is shorter than the wait for a pool, since
 * a PGlite is in this process, and so is who holds the connection.
 */
export const PGLITE_WAIT_MS = 15_000;

const KYSELY_STANDSTILL =
  "a connection of the Kysely, and none was given back. A call can't end while the code that waits for it holds the last one: within " +
  "`db.transaction()` or `db.connection()`, pass the saver that Transaction, or raise `max` of the pool";

/** Returns what bounds the waits for the connections of a Kysely. All instances derived from it share its adapter. */
export function waitsOfKysely(kysely: Kysely<CheckpointDatabase>): ConnectionWaits {
  return waitsOf(kysely.isTransaction ? kysely : kysely.getExecutor().adapter);
}

/**
 * Runs `start`, which takes a connection of the Kysely, and bounds the wait for it.
 *
 * On the one connection of a PGlite, a statement that waits can't be told from one that runs. So `statementTimeoutMs` bounds the wait
 * there, once the PGlite is open.
 */
export function waitForKysely<T>(
  kysely: Kysely<CheckpointDatabase>,
  { signal, statementTimeoutMs }: RunContext,
  start: (wait: Wait) => Promise<T>,
): Promise<T> {
  const waits = waitsOfKysely(kysely);
  const limits = hasOneConnection(kysely)
    ? {
        signal,
        limitMs: waits.haveMoved ? (statementTimeoutMs ?? PGLITE_WAIT_MS) : undefined,
        explain: () => PGLITE_STANDSTILL,
      }
    : { signal, explain: () => KYSELY_STANDSTILL };
  return waits.run(limits, start);
}
