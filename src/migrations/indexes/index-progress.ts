import { sql } from "kysely";
import { noop } from "../../db/async/noop.js";
import { pause } from "../../db/async/retry.js";
import { hasOneConnection } from "../../db/kysely/plain-kysely.js";
import type { Tables } from "../in-locked-transaction.js";

/** How far the server is with an index. */
export interface IndexProgress {
  readonly table: string;
  /** The size of the table in bytes, without its indexes. */
  readonly tableBytes: number;
  /** What the server does, in its own words. */
  readonly phase: string;
  /** How much of the phase is done, and of how much: blocks or rows. Both are 0 where the server doesn't count. */
  readonly done: number;
  readonly total: number;
}

/** How often the server is asked, in milliseconds. */
const POLL_MS = 1_000;

/**
 * Builds indexes, and tells meanwhile how far the server is, by a second connection. In a transaction and on PGlite there is none, and it
 * tells nothing.
 */
export async function whileIndexing<T>(
  db: Tables,
  { schema, onProgress }: { readonly schema: string; readonly onProgress: (progress: IndexProgress) => void },
  build: () => Promise<T>,
): Promise<T> {
  if (db.isTransaction || hasOneConnection(db)) return build();
  const built = new AbortController();
  const poll = async (): Promise<void> => {
    while (!built.signal.aborted) {
      const progress = await readProgress(db, schema);
      if (progress !== undefined) onProgress(progress);
      await pause(POLL_MS, { signals: [built.signal] });
    }
  };
  // The index is what counts: who may not read the view builds without a bar.
  const polling = poll().catch(noop);
  try {
    return await build();
  } finally {
    built.abort();
    await polling;
  }
}

async function readProgress(db: Tables, schema: string): Promise<IndexProgress | undefined> {
  const { rows } = await sql<IndexProgress>`
    select relname as table, pg_table_size(relid)::float8 as "tableBytes", phase,
      (case when blocks_total > 0 then blocks_done else tuples_done end)::float8 as done,
      (case when blocks_total > 0 then blocks_total else tuples_total end)::float8 as total
    from pg_stat_progress_create_index
    join pg_class on pg_class.oid = relid
    where datname = current_database() and relnamespace = to_regnamespace(quote_ident(${schema}))
    limit 1`.execute(db);
  return rows[0];
}
