import { sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";

/**
 * Makes Postgres throw an error if policies would hide rows, as they do from the owner of a table with FORCE ROW LEVEL SECURITY.
 * Otherwise a step could take a table for empty, and drop it.
 */
export async function withRowSecurityOff<T>(
  transaction: Transaction<CheckpointDatabase>,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await sql<{ before: string }>`
    select current_setting('row_security') as before, set_config('row_security', 'off', true)`.execute(
    transaction,
  );
  const result = await work();
  // A passed-in transaction may continue. If `work` has failed, the setting ends with the transaction.
  await sql`select set_config('row_security', ${rows[0]?.before ?? "on"}, true)`.execute(transaction);
  return result;
}
