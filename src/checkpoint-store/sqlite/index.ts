export { SqliteCheckpointStore } from "./sqlite-checkpoint-store.js";
export type { SqliteCheckpointStoreOptions } from "./sqlite-checkpoint-store.js";
export type { SqliteSource } from "./sqlite-source.js";
