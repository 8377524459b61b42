import type pg from "pg";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import type { Call, TimedCase } from "../scenarios/scenario.js";
import type { Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { type Connected, openCountedPool } from "./counted-pool.js";
import type { Route } from "./route.js";

/** A participant of a case. */
export interface Contestant {
  readonly id: Subject["id"] | "floor";
  /** Connects to a database that is prepared for the case. */
  readonly connect: (route: Route) => Entrant;
}

/** A contestant that is connected over a route. */
export interface Entrant extends Connected {
  /** Prepares the next call, untimed. */
  readonly next: () => Call;
}

/** A contestant with a database of its own. */
export interface Owner extends Contestant {
  /** Whoever added the contestant gives it back. */
  readonly database: BenchDatabase;
}

/**
 * Creates a contestant that works over a pool.
 *
 * @param operateOn - Prepares what is timed, over a pool on the database.
 */
export function overPool(
  id: Contestant["id"],
  database: BenchDatabase,
  operateOn: (pool: pg.Pool) => () => Call,
): Owner {
  return {
    id,
    database,
    connect: (route) => {
      const { pool, ...connected } = openCountedPool(route.via(database.source));
      return { ...connected, next: operateOn(pool) };
    },
  };
}

/** Prepares a case on a database, and then brings it into the state of a production database. */
export async function preparedDatabase<T>(
  server: BenchServer,
  prepare: (url: string) => Promise<T>,
): Promise<{ database: BenchDatabase; prepared: T }> {
  const database = await server.emptyDatabase();
  try {
    const prepared = await prepare(database.source);
    // Otherwise autovacuum would run in the middle of the timing.
    await database.exec("vacuum analyze");
    return { database, prepared };
  } catch (error) {
    await database.giveBack();
    throw error;
  }
}

/** Adds a saver to a case. */
export async function enterSaver(subject: Subject, timed: TimedCase, server: BenchServer): Promise<Owner> {
  const { database, prepared: operation } = await preparedDatabase(server, (url) =>
    withSaver(subject, url, (saver) => timed.prepare(saver)),
  );
  return overPool(subject.id, database, (pool) => {
    const saver = subject.open(pool);
    return () => operation(saver);
  });
}
