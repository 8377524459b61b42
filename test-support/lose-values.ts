import type { TestDatabase } from "./test-database.js";

/** Deletes what a table stores outside of its rows, as a damaged disk does. Truncate the table afterwards: no such row can be deleted. */
export async function loseValues(database: TestDatabase, table: string): Promise<void> {
  const [{ toast } = {}] = await database.query(
    `select reltoastrelid::regclass::text as toast from pg_class where oid = '${table}'::regclass`,
  );
  // Postgres lets nobody delete from a table of this kind, so it is of another kind meanwhile.
  const become = (kind: string) =>
    database.exec(`update pg_class set relkind = '${kind}' where oid = '${String(toast)}'::regclass`);
  await become("r");
  await database.exec(`delete from ${String(toast)}`);
  // Such rows are read until they are gone.
  await database.exec(`vacuum ${String(toast)}`);
  await become("t");
}
