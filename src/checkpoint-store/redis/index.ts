export {
  RedisCheckpointStore,
  type RedisCheckpointStoreOptions,
  type RedisSource,
} from "./redis-checkpoint-store.js";
export type { IoRedisClient, NodeRedisClient, RedisClientOptions } from "./redis-client.js";
