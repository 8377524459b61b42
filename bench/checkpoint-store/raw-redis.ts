import { createClient } from "redis";
import type { Steps } from "./steps.js";

const SAVE = "redis.call('SET', KEYS[1], ARGV[1]) redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])";
const LIST = `local keys = redis.call('ZRANGE', KEYS[1], ARGV[1], -1)
  for n, id in ipairs(keys) do keys[n] = ARGV[2] .. id end
  return redis.call('MGET', unpack(keys))`;

/** The work of a store, written for `redis` alone: one command for each call. */
export async function rawRedis(url: string, prefix: string): Promise<Steps> {
  const client = await createClient({ url }).connect();
  const [save, list] = [await client.scriptLoad(SAVE), await client.scriptLoad(LIST)];
  const key = (id: string): string => `${prefix}checkpoint:${id}`;
  const index = (executionId: string): string => `${prefix}execution:${executionId}:checkpoints`;
  const read = async (executionId: string, first: string): Promise<object[]> => {
    const found = await client.evalSha(list, { keys: [index(executionId)], arguments: [first, key("")] });
    return (found as unknown[]).map((text) => JSON.parse(String(text)) as object);
  };
  return {
    setup: () => Promise.resolve(),
    save: async (step) => {
      const keys = [key(step.id), index(step.metadata.execution_id)];
      await client.evalSha(save, { keys, arguments: [JSON.stringify(step), String(step.version), step.id] });
    },
    load: async (id) => JSON.parse(String(await client.get(key(id)))) as object,
    list: (executionId) => read(executionId, "0"),
    latest: async (executionId) => (await read(executionId, "-1"))[0],
    end: () => client.close(),
  };
}
