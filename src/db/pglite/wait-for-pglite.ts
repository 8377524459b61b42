import { noop } from "../async/noop.js";
import { waitsOf } from "../connection-waits.js";
import { PGLITE_STANDSTILL, PGLITE_WAIT_MS } from "../kysely/wait-for-kysely.js";
import type { RunContext } from "../statements/transaction-steps.js";
import type { PGliteInstance } from "./pglite-instance.js";

/** A PGlite of a version that tells whether a transaction is open. A PGlite in a worker does not. */
interface TellingPGlite {
  isInTransaction(): boolean;
}

/**
 * Waits until no transaction of the application is open on a PGlite. It asks by a query without effect: one that changes something, and
 * whose caller has given up, would be carried out when the transaction ends.
 *
 * @throws AbortError when the signal aborts.
 * @throws ConnectionError when the transaction is open for too long, as where it waits for this call.
 */
export async function waitForPGlite(
  pglite: PGliteInstance,
  { signal, statementTimeoutMs }: RunContext,
): Promise<void> {
  if (!pglite.ready || (tells(pglite) && !pglite.isInTransaction())) return;
  const limits = { signal, limitMs: statementTimeoutMs ?? PGLITE_WAIT_MS, explain: () => PGLITE_STANDSTILL };
  // In a transaction that the application has begun by a statement, and that has failed, the query fails. So will the call.
  await waitsOf(pglite).run(limits, () => pglite.query("select").then(noop, noop));
}

function tells(pglite: object): pglite is TellingPGlite {
  return typeof Reflect.get(pglite, "isInTransaction") === "function";
}
