import type { Kysely } from "kysely";
import type pg from "pg";
import { connectLikePool } from "../sessions/connect-like-pool.js";
import { connectThroughKysely } from "./connect-through-kysely.js";
import type { OpenSessionConnection } from "../sessions/session-connection.js";
import { LockSession } from "./lock-session.js";
import { Locks, type TakeLock } from "./locks.js";
import { SharedSession } from "./shared-session.js";
import { takeInProcess } from "./take-in-process.js";
import { takeOnSession } from "./take-on-session.js";

/** One set of locks for each open database of the process, so that all savers on it share a connection. */
const known = /* @__PURE__ */ new WeakMap<object, Locks>();

/** Returns the locks of a pool, which use a connection outside the pool. */
export function locksOfPool(pool: pg.Pool): Locks {
  return locksOf(pool, () => onSession((onLost) => connectLikePool(pool, onLost)));
}

/**
 * Returns the locks of an instance of PGlite. They are in memory, since PGlite has one process and one
 * connection.
 */
export function locksOfPGlite(instance: object): Locks {
  return locksOf(instance, () => takeInProcess(instance));
}

/**
 * Returns the locks of a passed-in Kysely. They use one of its connections, or are in memory if it has only
 * one.
 */
export function locksOfKysely<DB>(kysely: Kysely<DB>): Locks {
  const { adapter } = kysely.getExecutor();
  // All instances derived from a Kysely share its adapter, but not all share its connections.
  if (!adapter.supportsMultipleConnections) return locksOfPGlite(adapter);
  return locksOf(kysely, () => onSession(() => connectThroughKysely(kysely.withoutPlugins())));
}

function locksOf(database: object, take: () => TakeLock): Locks {
  const locks = known.get(database) ?? new Locks(take());
  known.set(database, locks);
  return locks;
}

function onSession(connect: OpenSessionConnection): TakeLock {
  return takeOnSession(new SharedSession(() => LockSession.open(connect)));
}
