import { RedisCheckpointStore } from "../../src/checkpoint-store/redis/index.js";
import { playPipeline } from "./pipeline.js";

/**
 * The pipeline with its checkpoints in Redis.
 *
 * @param url - `redis://…`. Default: the environment variable `REDIS_URL`, else the server on this machine.
 */
export async function playInRedis(url = process.env.REDIS_URL ?? "redis://localhost:6379"): Promise<void> {
  await using store = new RedisCheckpointStore(url, { prefix: "example_checkpoints:", ttlMs: 3_600_000 });
  await playPipeline(store);
}
