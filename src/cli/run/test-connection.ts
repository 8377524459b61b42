import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";

/**
 * Connects once without retries, so that a mistyped port fails at once. Later, calls are retried if the server goes away.
 *
 * @returns Whether the server is a standby, on which a write fails as often as it is retried.
 */
export async function testConnection(db: Kysely<CheckpointDatabase>): Promise<{ readonly standby: boolean }> {
  try {
    const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
    return { standby: rows[0]?.standby === true };
  } catch (error) {
    throw explainConnectionError(toDatabaseError(error));
  }
}
