import type pg from "pg";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import { openPool } from "../open-pool.js";
import { OURS, type Saver } from "../subjects.js";

/** Calls `use` with a saver on an empty database, and the database. */
export async function inDatabase<T>(
  server: Pick<BenchServer, "emptyDatabase">,
  use: (saver: Saver, database: BenchDatabase) => Promise<T>,
  { open }: { readonly open: (pool: pg.Pool) => Saver } = OURS,
): Promise<T> {
  const database = await server.emptyDatabase();
  const pool = openPool(database.source);
  try {
    const saver = open(pool);
    await saver.setup();
    return await use(saver, database);
  } finally {
    await pool.end();
    await database.giveBack();
  }
}
