export { migrateDown, type MigrateOptions, migrateToLatest } from "./migrate.js";
export { type MigrationStatus, migrationStatus } from "./migration-status.js";
export { type MigrationPlan, type PlannedStep, planMigrations } from "./plan-migrations.js";
export { MIGRATION_NAMES } from "./steps/index.js";
