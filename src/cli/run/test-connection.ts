import { CompiledQuery, type Kysely } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";

/**
 * Connects once without retries, so that a mistyped port fails at once. Later, calls are retried if the server goes away.
 */
export async function testConnection(db: Kysely<CheckpointDatabase>): Promise<void> {
  try {
    await db.executeQuery(CompiledQuery.raw("select 1"));
  } catch (error) {
    throw explainConnectionError(toDatabaseError(error));
  }
}
