import { retryTransient } from "../db/statements/retry-transient.js";
import { migrateSets } from "../migrations/migrate.js";
import { optionalSets } from "../migrations/sets.js";
import type { StoreCall } from "./store-call.js";

/** Migrates the tables of the store to the newest version; see `PostgresStore.setup`. */
export async function setUp({
  database,
  schema,
  policy,
  telemetry,
  observer,
  settings,
}: StoreCall): Promise<void> {
  const { textSearchLanguage, vectors: embeddings } = settings;
  const { store, vectors } = optionalSets({ textSearchLanguage, vectors: embeddings?.layout });
  const sets = embeddings === undefined ? [store] : [store, vectors];
  const migrate = () => migrateSets(database.kysely, sets, { schema });
  const steps = await retryTransient(migrate, database.kysely.isTransaction ? false : policy.retry, {
    onRetry: (attempt) => observer?.retrying(attempt),
  });
  if (steps.length > 0) telemetry?.log.write("info", "migrations applied", { schema, steps });
}
