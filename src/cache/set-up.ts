import { retryTransient } from "../db/statements/retry-transient.js";
import { migrateSets } from "../migrations/migrate.js";
import { optionalSets } from "../migrations/sets.js";
import type { CacheCall } from "./cache-call.js";

/** Migrates the table of the cache to the newest version; see `PostgresCache.setup`. */
export async function setUp({
  database,
  schema,
  policy,
  telemetry,
  observer,
  settings,
}: CacheCall): Promise<void> {
  const { cache } = optionalSets({ unloggedCache: settings.unlogged });
  const migrate = () => migrateSets(database.kysely, [cache], { schema });
  const steps = await retryTransient(migrate, database.kysely.isTransaction ? false : policy.retry, {
    onRetry: (attempt) => observer?.retrying(attempt),
  });
  if (steps.length > 0) telemetry.log.write("info", "migrations applied", { schema, steps });
}
