import { expect } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import type { PostgresSaver } from "../../src/index.js";
import { type PartitionLayout, partitionTables, type TableProgress } from "../../src/migrations/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { TestDatabase } from "../../test-support/targets.js";

/** The tables that a conversion replaces, in their order. */
export const TABLES = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const;

/** More steps than the few rows of a test take. */
const MOST_STEPS = 500;

/** All rows of the tables. */
export async function contentOf(database: TestDatabase): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const table of TABLES) {
    rows[table] = await database.query(`select * from ${table} order by ${table}::text collate "C"`);
  }
  return rows;
}

/** Converts the tables. */
export async function convert(database: TestDatabase, layout: PartitionLayout) {
  const { kysely, close } = openDatabase(database.source);
  let steps = 0;
  const onProgress = (): void => {
    if (++steps > MOST_STEPS) throw new Error("the conversion does not come to its end");
  };
  try {
    return await partitionTables(kysely, { layout, lockTimeoutMs: 5_000, onProgress });
  } finally {
    await close();
  }
}

/** Stores threads of three checkpoints, each with a value and a write. */
export async function fill(saver: PostgresSaver, threads: number): Promise<void> {
  for (let thread = 0; thread < threads; thread++) {
    let config = threadConfig(newThread());
    for (let step = 0; step < 3; step++) {
      ({ config } = await putValues(saver, config, { list: [step, "x".repeat(3_000)], count: step }));
      await saver.putWrites(config, [["count", step]], "task");
    }
  }
}

/** Converts as far as the end of a phase of the first table. */
export async function stopAfter(
  last: TableProgress["phase"],
  database: TestDatabase<string>,
  layout: PartitionLayout,
): Promise<void> {
  const { kysely, close } = openDatabase(database.source);
  const onProgress = ({ phase }: TableProgress): void => {
    if (phase === last) throw new Error("stopped");
  };
  try {
    await expect(partitionTables(kysely, { layout, onProgress })).rejects.toThrow("stopped");
  } finally {
    await close();
  }
}

/** What a conversion has created and not removed yet. */
export function leftovers(database: TestDatabase): Promise<Record<string, unknown>[]> {
  return database.query(`
    select relname from pg_class where relname ~ '^checkpoint.*(_next|_conversion)'
    union all select proname from pg_proc where proname ~ '_mirror'
    union all select tgname from pg_trigger where tgname ~ '_mirror'`);
}
