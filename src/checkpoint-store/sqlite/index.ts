export { SqliteCheckpointStore } from "./sqlite-checkpoint-store.js";
export type { SqliteCheckpointStoreOptions } from "./sqlite-options.js";
export type {
  BetterSqlite3Database,
  BetterSqlite3Statement,
  NodeSqliteDatabase,
  NodeSqliteStatement,
  SqliteKysely,
  SqliteParameter,
  SqliteSource,
} from "./sqlite-source.js";
