import type { Kysely } from "kysely";
import type pg from "pg";
import { connectLikePool } from "./client-connection.js";
import { connectThroughKysely } from "./kysely-lock-connection.js";
import type { ConnectForLocks } from "./lock-connection.js";
import { LockSession } from "./lock-session.js";
import { Locks, type TakeLock } from "./locks.js";
import { SharedSession } from "./shared-session.js";
import { takeInProcess } from "./take-in-process.js";
import { takeOnSession } from "./take-on-session.js";

/** One for each database that is open in the process, so that savers that were lent the same one share a connection. */
const known = /* @__PURE__ */ new WeakMap<object, Locks>();

/** The locks of a pool, on a connection beside those of the pool. */
export function locksOfPool(pool: pg.Pool): Locks {
  return locksOf(pool, () => onSession((onLost) => connectLikePool(pool, onLost)));
}

/** The locks of an instance of PGlite, which has one process and one connection: they are in memory. */
export function locksOfPGlite(instance: object): Locks {
  return locksOf(instance, () => takeInProcess(instance));
}

/** The locks of a Kysely that was lent, on one of its connections; in memory where it has but one. */
export function locksOfKysely<DB>(kysely: Kysely<DB>): Locks {
  const { adapter } = kysely.getExecutor();
  // The adapter is the same for all that was derived from a Kysely, which not all have its connections.
  if (!adapter.supportsMultipleConnections) return locksOfPGlite(adapter);
  return locksOf(kysely, () => onSession(() => connectThroughKysely(kysely.withoutPlugins())));
}

function locksOf(database: object, take: () => TakeLock): Locks {
  const locks = known.get(database) ?? new Locks(take());
  known.set(database, locks);
  return locks;
}

function onSession(connect: ConnectForLocks): TakeLock {
  return takeOnSession(new SharedSession(() => LockSession.open(connect)));
}
