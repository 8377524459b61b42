import { Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { MigrationSet } from "./migration-set.js";
import type { TransactionDialect } from "./transaction-dialect.js";
import type { MigratedTables, MigrationStep } from "./steps/step.js";

/** The Migrator requires a lock table, but takes no lock here: see `inLockedTransaction`. */
const MIGRATION_LOCK_TABLE = "checkpoint_kysely_migration_lock";

/** Creates Kysely's Migrator for the steps of one set in a schema. It runs in the transaction of the dialect. */
export function createMigrator(
  dialect: TransactionDialect<CheckpointDatabase>,
  schema: string,
  { record, steps }: MigrationSet,
): Migrator {
  const migrations = Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [name, migrationFor(step, schema)]),
  );
  return new Migrator({
    db: new Kysely<CheckpointDatabase>({ dialect }),
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableSchema: schema,
    migrationTableName: record,
    migrationLockTableName: MIGRATION_LOCK_TABLE,
  });
}

function migrationFor(step: MigrationStep, schema: string): Migration {
  return {
    up: (db: Kysely<MigratedTables>) => step.up(db.withSchema(schema), schema),
    down: (db: Kysely<MigratedTables>) => step.down(db.withSchema(schema), schema),
  };
}
