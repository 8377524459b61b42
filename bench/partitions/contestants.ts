import { openDatabase } from "../../src/db/index.js";
import { type PartitionLayout, partitionTables } from "../../src/migrations/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import { openOurs } from "../subjects.js";
import { type Amount, fillThreads } from "./fill-threads.js";

/** A database with one layout of the tables. */
export interface Contestant {
  readonly layout: PartitionLayout;
  readonly database: BenchDatabase;
  /** It has one connection. */
  readonly saver: ReturnType<typeof openOurs>;
  /** The process of that connection, on this machine. */
  readonly backend: number;
  readonly close: () => Promise<void>;
}

/** The number of channels beside the one that changes. */
const KEPT_CHANNELS = 4;

/** Creates a database with tables of this layout, and fills it with threads. */
export async function createContestant(
  server: BenchServer,
  layout: PartitionLayout,
  amount: Amount,
): Promise<Contestant> {
  const database = await server.emptyDatabase();
  // Where the server has it, it compiles a prune for seconds, with either layout.
  await database.exec(
    "do $$ begin execute format('alter database %I set jit = off', current_database()); end $$",
  );
  const pool = openPool(database.source, 1);
  const saver = openOurs(pool);
  await saver.setup();
  await convertTo(layout, database);
  await storeTemplate(saver);
  await fillThreads(database, amount);
  const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const close = async () => {
    await pool.end();
    await database.giveBack();
  };
  return { layout, database, saver, backend: rows[0]?.pid ?? 0, close };
}

/** Converts the tables of a database. */
export async function convertTo(layout: PartitionLayout, database: BenchDatabase): Promise<void> {
  const { kysely, close } = openDatabase(database.source);
  try {
    await partitionTables(kysely, { layout });
  } finally {
    await close();
  }
}

/** Stores the checkpoints that {@link fillThreads} repeats. */
async function storeTemplate(saver: Contestant["saver"]): Promise<void> {
  const kept = Object.fromEntries(
    Array.from({ length: KEPT_CHANNELS }, (_, index) => [`kept_${index}`, changedValue(index)]),
  );
  const values = { ...kept, changing: changedValue(0) };
  const first = await putValues(saver, threadConfig(newThread()), values);
  const second = await putValues(saver, first.config, { changing: changedValue(1) }, first.checkpoint);
  await saver.putWrites(second.config, [["changing", changedValue(2)]], newThread());
}

/** A value of about 400 bytes that compresses little. */
export function changedValue(seed: number): object {
  const numbers = Array.from(
    { length: 45 },
    (_, index) => ((seed + 1) * (index + 1) * 2_654_435_761) % 99_999_989,
  );
  return { text: numbers.join(" ") };
}
