import { Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { TransactionDialect } from "./transaction-dialect.js";
import { MIGRATION_STEPS } from "./steps/index.js";
import type { MigratedTables, MigrationStep } from "./steps/step.js";

/** The table in which Kysely's Migrator records the applied steps of the schema. */
export const MIGRATION_TABLE = "checkpoint_kysely_migration";
/** The Migrator requires a lock table, but takes no lock here: see `inLockedTransaction`. */
const MIGRATION_LOCK_TABLE = "checkpoint_kysely_migration_lock";

/** Creates Kysely's Migrator for the steps of one schema. It runs in the transaction of the dialect. */
export function createMigrator(dialect: TransactionDialect<CheckpointDatabase>, schema: string): Migrator {
  return new Migrator({
    db: new Kysely<CheckpointDatabase>({ dialect }),
    provider: { getMigrations: () => Promise.resolve(migrationsFor(schema)) },
    migrationTableSchema: schema,
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
}

function migrationsFor(schema: string): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(MIGRATION_STEPS).map(([name, step]) => [name, migrationFor(step, schema)]),
  );
}

function migrationFor(step: MigrationStep, schema: string): Migration {
  return {
    up: (db: Kysely<MigratedTables>) => step.up(db.withSchema(schema), schema),
    down: (db: Kysely<MigratedTables>) => step.down(db.withSchema(schema), schema),
  };
}
