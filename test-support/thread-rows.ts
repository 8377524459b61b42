import type { TestDatabase } from "./test-database.js";

/** The number of rows of a thread. */
export interface ThreadRows {
  readonly checkpoints: number;
  readonly blobs: number;
  readonly writes: number;
}

/** Counts the rows of a thread with SQL, whether or not a checkpoint references them. */
export async function rowsOf(database: TestDatabase, thread: string): Promise<ThreadRows> {
  const [rows] = await database.query<{ [Table in keyof ThreadRows]: number }>(
    `select
      (select count(*)::int from checkpoints where thread_id = $1) as checkpoints,
      (select count(*)::int from checkpoint_blobs where thread_id = $1) as blobs,
      (select count(*)::int from checkpoint_writes where thread_id = $1) as writes`,
    [thread],
  );
  if (rows === undefined) throw new Error("a count has one row");
  return rows;
}
