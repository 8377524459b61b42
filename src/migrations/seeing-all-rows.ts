import { sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";

/**
 * Has Postgres refuse to read a table that policies hide rows of, as they do from an owner by FORCE ROW LEVEL SECURITY: a step
 * would take it for empty, and drop it.
 */
export async function seeingAllRows<T>(
  transaction: Transaction<CheckpointDatabase>,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await sql<{ before: string }>`
    select current_setting('row_security') as before, set_config('row_security', 'off', true)`.execute(
    transaction,
  );
  const result = await work();
  // A transaction that was lent goes on. One that failed ends, and with it the setting.
  await sql`select set_config('row_security', ${rows[0]?.before ?? "on"}, true)`.execute(transaction);
  return result;
}
