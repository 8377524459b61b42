import { Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { BorrowedDialect } from "./borrowed-dialect.js";
import { MIGRATION_STEPS } from "./steps/index.js";
import type { MigratedTables, MigrationStep } from "./steps/step.js";

/** Where Kysely's Migrator records the steps that have run, in the schema that they ran in. */
export const MIGRATION_TABLE = "checkpoint_kysely_migration";
/** The Migrator insists on a lock table; the lock itself is Postgres's, see `inLockedTransaction`. */
export const MIGRATION_LOCK_TABLE = "checkpoint_kysely_migration_lock";

/** Kysely's Migrator over our steps, in one schema, running inside the transaction that the dialect borrows. */
export function createMigrator(dialect: BorrowedDialect<CheckpointDatabase>, schema: string): Migrator {
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
