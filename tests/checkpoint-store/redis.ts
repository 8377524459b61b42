import { randomUUID } from "node:crypto";
import { describe, test } from "@jest/globals";
import { Redis } from "ioredis";
import {
  RedisCheckpointStore,
  type RedisCheckpointStoreOptions,
} from "../../src/checkpoint-store/redis/index.js";
import { installedRedis } from "../../test-support/redis-server.js";

/** The Redis of this run (test-support/global-setup.js). */
const url = process.env.CHECKPOINT_TEST_REDIS;
const installed = await installedRedis();

/** Returns a prefix that no other test uses. */
export function ownPrefix(): string {
  return `test:${randomUUID()}:`;
}

/** The URL of the Redis of this run. */
export function redisUrl(): string {
  if (url === undefined) throw new Error("There is no Redis");
  return url;
}

/** Opens a store on the Redis of this run, through the package `redis`. It has a prefix of its own, unless the options have one. */
export function openRedisStore<State = unknown>(
  options: RedisCheckpointStoreOptions = {},
): RedisCheckpointStore<State> {
  return new RedisCheckpointStore(redisUrl(), { prefix: ownPrefix(), ...options });
}

/** Opens a store like {@link openRedisStore} on a client of ioredis, which the end of the store closes too. */
export function openIoRedisStore<State = unknown>(
  options: RedisCheckpointStoreOptions = {},
): RedisCheckpointStore<State> {
  const client = new Redis(redisUrl());
  return new ClosingStore(client, { prefix: ownPrefix(), ...options });
}

class ClosingStore<State> extends RedisCheckpointStore<State> {
  readonly #client: Redis;

  constructor(client: Redis, options: RedisCheckpointStoreOptions) {
    super(client, options);
    this.#client = client;
  }

  override async end(): Promise<void> {
    await super.end();
    this.#client.disconnect();
  }
}

/** Runs a suite on the Redis of this run; see {@link describeIf}. */
export function describeRedis(name: string, body: () => void): void {
  describeIf(url !== undefined, name, body);
}

/** Runs a suite that starts servers of its own, for which the program must be installed; see {@link describeIf}. */
export function describeOwnRedis(name: string, body: () => void): void {
  describeIf(installed !== undefined, name, body);
}

/**
 * Runs a suite if there is what it needs. Otherwise it skips the suite and prints one line.
 *
 * @throws if the environment variable `CI` is `true`: a gate must not skip.
 */
function describeIf(isThere: boolean, name: string, body: () => void): void {
  if (isThere) {
    describe(name, body);
    return;
  }
  if (process.env.CI === "true") throw new Error("Redis is not installed: apt-get install redis-server");
  process.stdout.write(`Skipped because Redis is not installed: ${name}\n`);
  describe(name, () => {
    test.skip("on Redis", () => undefined);
  });
}
