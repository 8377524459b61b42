export type {
  CacheDatabase,
  ConversationDatabase,
  CheckpointBlobRow,
  CheckpointDatabase,
  CheckpointRow,
  CheckpointStoreDatabase,
  CheckpointWriteRow,
  StoreDatabase,
} from "./checkpoint-database.js";
// Named in what a function of an application returns that selects these columns: without them it has no declaration.
export type { JsonArray, JsonObject, JsonPrimitive, JsonValue } from "./schema.generated.js";
export type { StoredCheckpoint } from "./stored-json.js";
export { openDatabase, type OpenDatabaseOptions } from "./open-database.js";
export type { DatabaseSource, OpenedDatabase } from "./opened-database.js";
export type { ClientLike } from "./pool/client-like.js";
export type { PoolLike } from "./pool/client-like.js";
export type { PGliteInstance } from "./pglite/pglite-instance.js";
