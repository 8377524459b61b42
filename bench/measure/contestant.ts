import type pg from "pg";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import type { Call, TimedCase } from "../scenarios/scenario.js";
import type { Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";

/** A participant of a case, with a prepared database of its own. */
export interface Contestant {
  readonly id: Subject["id"] | "floor";
  /** Whoever added the contestant gives it back. */
  readonly database: BenchDatabase;
  /** Prepares what is timed, over a pool on that database. */
  readonly operateOn: (pool: pg.Pool) => () => Call;
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
export async function enterSaver(
  subject: Subject,
  timed: TimedCase,
  server: BenchServer,
): Promise<Contestant> {
  const { database, prepared: operation } = await preparedDatabase(server, (url) =>
    withSaver(subject, url, (saver) => timed.prepare(saver)),
  );
  return {
    id: subject.id,
    database,
    operateOn: (pool) => {
      const saver = subject.open(pool);
      return () => operation(saver);
    },
  };
}
