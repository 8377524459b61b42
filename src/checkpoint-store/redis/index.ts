export {
  RedisCheckpointStore,
  type RedisCheckpointStoreOptions,
  type RedisSource,
} from "./redis-checkpoint-store.js";
export type { RedisClientOptions } from "./redis-client.js";
