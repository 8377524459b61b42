import type { Kysely } from "kysely";
import type pg from "pg";
import { connectLikePool } from "../sessions/connect-like-pool.js";
import type { OpenSessionConnection } from "../sessions/live-session.js";
import { connectThroughKysely } from "./connect-through-kysely.js";
import { LockSession } from "./lock-session.js";
import type { TakeLock } from "./locks.js";
import { SharedSession } from "./shared-session.js";
import { takeOnSession } from "./take-on-session.js";

/** Takes locks on a connection of its own, which is opened as the pool opens its connections. */
export function takeBesidePool(pool: pg.Pool): TakeLock {
  return onSession((onLost) => connectLikePool(pool, onLost));
}

/** Takes locks on a connection of the Kysely. */
export function takeThroughKysely<DB>(kysely: Kysely<DB>): TakeLock {
  return onSession(() => connectThroughKysely(kysely.withoutPlugins()));
}

function onSession(connect: OpenSessionConnection): TakeLock {
  return takeOnSession(new SharedSession(() => LockSession.open(connect)));
}
