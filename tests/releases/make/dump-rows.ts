import type { PGlite } from "@electric-sql/pglite";

/** The tables in which migrations record themselves: the statements of the migrations fill them. */
const RECORDS = /_migrations?$|_migration_lock$/;

/** Writes all rows as statements, sorted, in a form that any version of Postgres reads. */
export async function dumpRows(database: PGlite): Promise<string[]> {
  await database.exec("set timezone to 'UTC'");
  const { rows: tables } = await database.query<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name::text order by ordinal_position) as columns
    from information_schema.columns where table_schema = 'public' and is_generated = 'NEVER'
    group by table_name order by table_name collate "C"`,
  );
  const statements: string[] = [];
  for (const { name, columns } of tables) {
    if (RECORDS.test(name)) continue;
    const names = columns.map((column) => `"${column}"`).join(", ");
    const values = columns.map((column) => `quote_nullable("${column}"::text)`).join(", ");
    const { rows } = await database.query<{ row: string }>(
      `select concat_ws(', ', ${values}) as row from "${name}"`,
    );
    statements.push(...rows.map(({ row }) => `insert into "${name}" (${names}) values (${row})`).sort());
  }
  return statements;
}
