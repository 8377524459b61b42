export type {
  CheckpointBlobRow,
  CheckpointDatabase,
  CheckpointRow,
  CheckpointWriteRow,
} from "./checkpoint-database.js";
export { guardPool } from "./guard-pool.js";
export {
  type DatabaseSource,
  openDatabase,
  type OpenDatabaseOptions,
  type OpenedDatabase,
} from "./open-database.js";
export type { PGliteInstance } from "./pglite-source.js";
