export type { RedisClientOptions } from "./opened-client.js";
export {
  RedisCheckpointStore,
  type RedisCheckpointStoreOptions,
  type RedisSource,
} from "./redis-checkpoint-store.js";
export type { IoRedisClient, NodeRedisClient } from "./redis-client.js";
