export { convertShallowTables, type ShallowConversion } from "./convert-shallow-tables.js";
export { convertStoreTables, type StoreConversion } from "./convert-store-tables.js";
export {
  type DistributeOptions,
  distributeTables,
  planDistribution,
  planUndistribution,
  type UndistributeOptions,
  undistributeTables,
} from "./distribution/distribute-tables.js";
export {
  type DistributionStatus,
  distributionStatus,
  type DistributionStatusOptions,
  type TableDistribution,
  type TablePlacement,
} from "./distribution/distribution-state.js";
export {
  createOptionalIndexes,
  dropOptionalIndexes,
  type OptionalIndexOptions,
} from "./indexes/create-indexes.js";
export { type IndexState, optionalIndexStatus } from "./indexes/optional-index.js";
export type { OptionalIndex } from "./indexes/optional-index.js";
export { migrateDown, type MigrateOptions, migrateToLatest } from "./migrate.js";
export type { OptionalTables } from "./migration-set.js";
export { type MigrationStatus, migrationStatus, type MigrationStatusOptions } from "./migration-status.js";
export type { PartitionLayout } from "./partitions/partition-layout.js";
export {
  type PartitionPlan,
  type PartitionPlanOptions,
  type PlannedTable,
  planPartitions,
} from "./partitions/partition-plan.js";
export type { TableProgress } from "./partitions/conversion-step.js";
export {
  type PartitionOptions,
  type PartitionReport,
  partitionTables,
} from "./partitions/partition-tables.js";
export { type MigrationPlan, type PlannedStep, planMigrations } from "./plan-migrations.js";
export type { VectorDistance, VectorIndex, VectorLayout } from "./vector-layout.js";
