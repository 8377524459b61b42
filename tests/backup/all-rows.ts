import type { TestDatabase } from "../support/test-database.js";

/** Every row of the three tables as Postgres prints it, for comparing databases byte for byte. */
export async function allRows(database: TestDatabase, schema = "public"): Promise<Record<string, string[]>> {
  const rows = await Promise.all(
    ["checkpoints", "checkpoint_blobs", "checkpoint_writes"].map(async (table) => {
      const found = await database.query<{ row: string }>(
        `select (stored.*)::text as row from "${schema}".${table} as stored order by 1`,
      );
      return [table, found.map(({ row }) => row)] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** How many rows there are of each table, by what {@link allRows} found. */
export function countRows(rows: Record<string, string[]>): Record<string, number> {
  return Object.fromEntries(Object.entries(rows).map(([table, found]) => [table, found.length]));
}
