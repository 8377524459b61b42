import type { CallContext } from "../call-context.js";
import { CallGroups } from "./call-groups.js";
import { type GroupedCall } from "./group-rules.js";
import { LOCK_TIMEOUT_MS } from "./limits.js";
import { LockWaits } from "./lock-waits.js";

/** What the groups of a saver or a store are opened with. */
export interface Grouping<Call> {
  /** How many statements the database can run at once. */
  readonly connections: number;
  readonly lockWaits: LockWaits;
  /** The context of a statement that several calls share: it limits its waits for locks, and is not retried. */
  readonly together: Call;
}

/**
 * Returns how calls are grouped on a database.
 *
 * @param base - The context that each call starts from.
 * @returns Nothing in a passed-in transaction, whose statements run one after another, and fail all together.
 */
export function groupingOf<Call extends CallContext>(base: Call): Grouping<Call> | undefined {
  if (base.database.kysely.isTransaction) return undefined;
  const { maxConnections } = base.database;
  // The only user of an embedded database finds no lock that another one holds.
  const isEmbedded = maxConnections === "embedded";
  const connections = isEmbedded ? 1 : maxConnections;
  return {
    connections,
    lockWaits: new LockWaits(isEmbedded ? Infinity : connections - 1),
    // A group that fails is sent again call by call, and these are retried.
    together: { ...base, lockTimeoutMs: LOCK_TIMEOUT_MS, policy: { ...base.policy, retry: false } },
  };
}

/** Opens groups in which each call is sent by itself, in the order of the calls with its key. */
export function orderOnly<Call extends GroupedCall>(): CallGroups<Call> {
  return new CallGroups(undefined, 1, new LockWaits(Infinity));
}
