import type pg from "pg";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import type { Call, TimedCase } from "../scenarios/scenario.js";
import type { Subject } from "../subjects.js";
import { withSaver } from "../with-saver.js";

/** One that takes part in a case, on a database of its own that is prepared for it. */
export interface Contestant {
  readonly id: Subject["id"] | "floor";
  /** The contestant's; whoever let it in gives it back. */
  readonly database: BenchDatabase;
  /** Makes what is timed ready, over a pool on that database. */
  readonly operateOn: (pool: pg.Pool) => () => Call;
}

/** A database that a case is prepared on, and then as a production database is sooner or later. */
export async function preparedDatabase<T>(
  server: BenchServer,
  prepare: (url: string) => Promise<T>,
): Promise<{ database: BenchDatabase; prepared: T }> {
  const database = await server.emptyDatabase();
  try {
    const prepared = await prepare(database.source);
    // Or autovacuum would do it in the middle of the timing.
    await database.exec("vacuum analyze");
    return { database, prepared };
  } catch (error) {
    await database.giveBack();
    throw error;
  }
}

/** Lets a saver take part. */
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
