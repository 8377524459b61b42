import { retryTransient } from "../db/statements/retry-transient.js";
import { migrateSets } from "../migrations/migrate.js";
import { CHECKPOINT_SET } from "../migrations/sets.js";
import type { SaverCall } from "./call/saver-call.js";

/** Migrates the schema to the newest version; see `PostgresSaver.setup`. */
export async function setUp({ database, schema, policy, telemetry, observer }: SaverCall): Promise<void> {
  const migrate = () => migrateSets(database.kysely, [CHECKPOINT_SET], { schema });
  const steps = await retryTransient(migrate, database.kysely.isTransaction ? false : policy.retry, {
    onRetry: (attempt) => observer?.retrying(attempt),
  });
  if (steps.length > 0) telemetry?.log.write("info", "migrations applied", { schema, steps });
}
