import { KeyQueues } from "./key-queues.js";
import type { TakeLock } from "./locks.js";

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
export function takeInProcess(database: object): TakeLock {
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
