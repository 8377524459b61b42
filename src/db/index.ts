export type {
  CheckpointBlobRow,
  CheckpointDatabase,
  CheckpointRow,
  CheckpointWriteRow,
} from "./checkpoint-database.js";
// eslint-disable-next-line @typescript-eslint/no-deprecated -- exported until the next major version
export { guardPool, handlePoolErrors } from "./pool/handle-pool-errors.js";
export {
  type DatabaseSource,
  openDatabase,
  type OpenDatabaseOptions,
  type OpenedDatabase,
} from "./open-database.js";
export type { PGliteInstance } from "./pglite/pglite-opener.js";
