import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createOptionalIndexes, type OptionalIndex } from "../../src/migrations/index.js";
import { openDatabase } from "../../src/db/index.js";
import type { BenchDatabase } from "../bench-server.js";
import { quantile } from "../measure/statistics.js";
import { timed } from "../measure/take-turns.js";
import { openPool } from "../open-pool.js";
import { programBeside } from "../program-beside.js";
import { openOurs } from "../subjects.js";
import { multiplyThreads } from "./multiply-threads.js";
import { SIZE_CALLS, type SizeCall } from "./size-calls.js";
import { storeShapes } from "./store-shapes.js";

/** What is made and measured. */
export interface SizeOptions {
  /** How many checkpoints the database has, more or less. */
  readonly checkpoints: number;
  /** The optional indexes that it has. */
  readonly indexes: readonly OptionalIndex[];
  /** A part of the names of the calls, in lower case. Empty for all. */
  readonly only: string;
}

/** What a call took. The log and the files are the server's. */
export interface SizeResult {
  readonly name: string;
  /** The median, where it ran more than once. */
  readonly ms: number;
  readonly rows: number;
  readonly temporaryBytes: number;
  /** What the probe writes is included. */
  readonly walBytes: number;
  readonly longestPutMs: number;
}

/** A part of `BenchDatabase`, which need not be given back. */
export type SizedDatabase = Pick<BenchDatabase, "source" | "query" | "exec">;

const THREADS_OF_SHAPE = 60;
/** Below this, the copies of 60 threads of each shape would be too few to have users. */
const SMALL = 50_000;
/** A call is repeated for so long, so that some turns of the probe run beside it. */
const REPEATED_MS = 1_500;

/** Fills a database, unless it has checkpoints. */
export async function fillDatabase(
  database: SizedDatabase,
  { checkpoints, indexes }: Pick<SizeOptions, "checkpoints" | "indexes">,
): Promise<void> {
  const pool = openPool(database.source);
  const { kysely, close } = openDatabase(database.source);
  try {
    const saver = openOurs(pool);
    await saver.setup();
    if ((await saver.listThreads({ limit: 1 })).length === 0) {
      await storeShapes(saver, checkpoints < SMALL ? 3 : THREADS_OF_SHAPE);
      await multiplyThreads(database, checkpoints);
    }
    await createOptionalIndexes(kysely, { indexes });
  } finally {
    await close();
    await pool.end();
  }
}

/** Measures the calls, each beside a probe that makes a turn of an agent every 200 ms. */
export async function measureSize(
  database: SizedDatabase,
  { only }: Pick<SizeOptions, "only">,
  report: (result: SizeResult) => void,
): Promise<SizeResult[]> {
  const { path, execArgv } = programBeside(import.meta.url, "probe-process");
  const probe = fork(path, [database.source], { execArgv: [...execArgv] });
  const closed = once(probe, "close");
  const results: SizeResult[] = [];
  try {
    for (const each of SIZE_CALLS.filter(({ name }) => name.toLowerCase().includes(only))) {
      const result = await measureCall(database, each, probe);
      report(result);
      results.push(result);
    }
  } finally {
    probe.send("end");
    await closed;
  }
  return results;
}

async function measureCall(
  database: SizedDatabase,
  { name, call, deletes }: SizeCall,
  probe: ChildProcess,
): Promise<SizeResult> {
  const before = await countersOf(database);
  const pool = openPool(database.source);
  const saver = openOurs(pool);
  // It opens a connection.
  await saver.health();
  await longestPut(probe);
  const times: number[] = [];
  let rows = 0;
  const began = performance.now();
  do times.push(await timed(async () => (rows = await call(saver))));
  while (deletes !== true && performance.now() - began < REPEATED_MS);
  const longestPutMs = await longestPut(probe);
  await pool.end();
  const after = await countersOf(database);
  const sorted = times.toSorted((a, b) => a - b);
  return {
    ...{ name, rows, longestPutMs, ms: quantile(sorted, 0.5) },
    temporaryBytes: (after.temporary - before.temporary) / times.length,
    walBytes: (after.log - before.log) / times.length,
  };
}

async function longestPut(probe: ChildProcess): Promise<number> {
  const answer = once(probe, "message");
  probe.send("next");
  return z
    .tuple([z.number()])
    .rest(z.unknown())
    .parse(await answer)[0];
}

const Counters = z.tuple([z.object({ sessions: z.number(), temporary: z.number(), log: z.number() })]);

/** Waits until the sessions of the last call have ended, since each reports its temporary files then. */
async function countersOf(database: SizedDatabase): Promise<{ temporary: number; log: number }> {
  for (;;) {
    await database.query("select pg_stat_clear_snapshot()");
    const [{ sessions, ...counters }] = Counters.parse(
      await database.query(`
        select temp_bytes::float8 as temporary, (pg_current_wal_insert_lsn() - '0/0')::float8 as log,
          (select count(*)::float8 from pg_stat_activity where datname = current_database()
            and backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> 'probe') as sessions
        from pg_stat_database where datname = current_database()`),
    );
    if (sessions === 0) return counters;
    await sleep(10);
  }
}
