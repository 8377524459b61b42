import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { preparedDatabase } from "../measure/contestant.js";
import { openPool } from "../open-pool.js";
import type { TimedCase } from "../scenarios/scenario.js";
import { OURS } from "../subjects.js";
import { withSaver } from "../with-saver.js";
import { QueryRecorder, type RecordedQuery, replay } from "./recorded-query.js";

/** What our saver sends in a case, and a database on which only the preparation has run. */
export interface RecordedCase {
  /** The queries of each run of the operation. */
  readonly runs: readonly RecordedQuery[][];
  /** The caller gives it back. */
  readonly database: BenchDatabase;
}

interface Recording {
  readonly preparation: readonly RecordedQuery[];
  readonly runs: readonly RecordedQuery[][];
}

/**
 * Runs a case with our saver, and records what it passes to `pg`. Then it repeats the preparation on another
 * database, so that a recorded `put` inserts rows there instead of meeting its own.
 */
export async function recordCase(timed: TimedCase, server: BenchServer, runs: number): Promise<RecordedCase> {
  const scratch = await server.emptyDatabase();
  try {
    const recording = await record(timed, scratch, runs);
    const { database } = await preparedDatabase(server, (url) => prepareAgain(url, recording.preparation));
    return { runs: recording.runs, database };
  } finally {
    await scratch.giveBack();
  }
}

async function record(timed: TimedCase, { source }: BenchDatabase, count: number): Promise<Recording> {
  await withSaver(OURS, source, () => Promise.resolve());
  const pool = openPool(source);
  try {
    const recorder = new QueryRecorder(pool);
    const saver = OURS.open(pool);
    // The first read of a pool also asks whether Citus distributes the tables.
    await saver.getTuple({ configurable: { thread_id: "none" } });
    recorder.take();
    const operation = await timed.prepare(saver);
    const preparation = recorder.take();
    const runs = [];
    for (let run = 0; run < count; run++) {
      await operation(saver)();
      const queries = recorder.take();
      // A floor without queries would look excellent.
      if (queries.length === 0)
        throw new Error(`${timed.name}: no query came past the client's method query`);
      runs.push(queries);
    }
    return { preparation, runs };
  } finally {
    await pool.end();
  }
}

async function prepareAgain(url: string, preparation: readonly RecordedQuery[]): Promise<void> {
  await withSaver(OURS, url, () => Promise.resolve());
  const pool = openPool(url);
  try {
    await replay(pool, preparation);
  } finally {
    await pool.end();
  }
}
