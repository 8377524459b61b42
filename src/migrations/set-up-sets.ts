import type { CallContext } from "../db/call-context.js";
import { retryTransient } from "../db/statements/retry-transient.js";
import { migrateSets } from "./migrate.js";
import type { MigrationSet } from "./migration-set.js";

/** Migrates sets of tables to their newest versions, as `setup()` of a saver, a store, a cache or a checkpoint store does. */
export async function setUpSets(call: CallContext, sets: readonly MigrationSet[]): Promise<void> {
  const { database, schema, policy, telemetry, observer } = call;
  const migrate = () => migrateSets(database.kysely, sets, { schema });
  const steps = await retryTransient(migrate, database.kysely.isTransaction ? false : policy.retry, {
    observer,
  });
  if (steps.length > 0) telemetry?.log.write("info", "migrations applied", { schema, steps });
}
