export type {
  CacheDatabase,
  CheckpointBlobRow,
  CheckpointDatabase,
  CheckpointRow,
  CheckpointStoreDatabase,
  CheckpointWriteRow,
  StoreDatabase,
} from "./checkpoint-database.js";
// oxlint-disable-next-line typescript/no-deprecated -- exported until the next major version
export { guardPool, handlePoolErrors } from "./pool/handle-pool-errors.js";
export { openDatabase, type OpenDatabaseOptions } from "./open-database.js";
export type { DatabaseSource, OpenedDatabase } from "./opened-database.js";
export type { PGliteInstance } from "./pglite/pglite-opener.js";
