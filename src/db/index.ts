export type {
  CheckpointBlobRow,
  CheckpointDatabase,
  CheckpointRow,
  CheckpointWriteRow,
} from "./checkpoint-database.js";
export { guardPool } from "./pool/handle-pool-errors.js";
export {
  type DatabaseSource,
  openDatabase,
  type OpenDatabaseOptions,
  type OpenedDatabase,
} from "./open-database.js";
export type { PGliteInstance } from "./pglite/pglite-source.js";
