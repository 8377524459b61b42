import type { Kysely } from "kysely";
import type pg from "pg";
import { hasOneConnection } from "../kysely/plain-kysely.js";
import { loadOnce } from "../async/load-once.js";
import { Locks, type TakeLock } from "./locks.js";
import { KeyQueues } from "./key-queues.js";

const loadSessionLocks = loadOnce(() => import("./session-locks.js"));

/** One set of locks for each open database of the process, so that all savers on it share a connection. */
const known = new WeakMap<object, Locks>();

/** Returns the locks of a pool, which use a connection outside the pool. */
export function locksOfPool(pool: pg.Pool): Locks {
  return locksOf(pool, () => onSession(({ takeBesidePool }) => takeBesidePool(pool)));
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
  // All instances derived from a Kysely share its adapter, but not all share its connections.
  if (hasOneConnection(kysely)) return locksOfPGlite(kysely.getExecutor().adapter);
  return locksOf(kysely, () => onSession(({ takeThroughKysely }) => takeThroughKysely(kysely)));
}

function locksOf(database: object, take: () => TakeLock): Locks {
  const locks = known.get(database) ?? new Locks(take());
  known.set(database, locks);
  return locks;
}

/** Takes locks on a session. What that needs is loaded for the first lock. */
function onSession(open: (module: Awaited<ReturnType<typeof loadSessionLocks>>) => TakeLock): TakeLock {
  let take: TakeLock | undefined;
  return async (key, wait) => {
    const module = await loadSessionLocks();
    take ??= open(module);
    return take(key, wait);
  };
}

/**
 * The key of the queues of all databases in `globalThis`. An application may load this package by `import`
 * and by `require`, and then has two copies of this module: their locks on one database must exclude one
 * another.
 */
const QUEUES = Symbol.for("langgraph-checkpoint-kysely.lockQueues");

interface ProcessWide {
  [QUEUES]: WeakMap<object, KeyQueues> | undefined;
}

/** Takes locks of a database that only this process uses: they are in memory. */
function takeInProcess(database: object): TakeLock {
  return async (key, wait) => {
    const leave = await queuesOf(database).enter(key, wait);
    if (leave === undefined) return undefined;
    const release = (): Promise<void> => {
      leave();
      return Promise.resolve();
    };
    return { lost: new AbortController().signal, release };
  };
}

function queuesOf(database: object): KeyQueues {
  const shared = globalThis as Partial<ProcessWide>;
  const known = (shared[QUEUES] ??= new WeakMap());
  const queues = known.get(database) ?? new KeyQueues();
  known.set(database, queues);
  return queues;
}
