import type { TestDatabase } from "../../test-support/test-database.js";

/** Every row of the three tables, as Postgres prints it, to compare databases byte for byte. */
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

/** The number of rows of each table in a result of {@link allRows}. */
export function countRows(rows: Record<string, string[]>): Record<string, number> {
  return Object.fromEntries(Object.entries(rows).map(([table, found]) => [table, found.length]));
}
