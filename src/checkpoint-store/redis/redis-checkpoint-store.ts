import { z } from "zod";
import type { RetryOptions } from "../../db/statements/retry-transient.js";
import { InvalidConfigError } from "../../errors/index.js";
import { connectionOptions } from "../../parsing/connection-options.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { BackendCheckpointStore } from "../backend-checkpoint-store.js";
import { checkpointStoreOptions, type CheckpointStoreOptions } from "../checkpoint-store-options.js";
import {
  OpenedClient,
  isOpenClient,
  passedInClient,
  type IoRedisClient,
  type NodeRedisClient,
  type RedisClient,
  type RedisClientOptions,
} from "./redis-client.js";
import { RedisBackend } from "./redis-backend.js";

/**
 * Where the checkpoints are:
 *
 * - A URL: `redis://…`, or `rediss://…` for TLS. The store connects at its first call, with the package `redis`, and `end` closes the
 *   connection.
 * - The options of a client of the package `redis`. The store opens it likewise. It reconnects by itself, whatever the strategy of the
 *   options is: the option `retry` of the store says for how long.
 * - An open client of `redis` or `ioredis`, passed in. The store never closes it, and the client decides how long a command waits for a
 *   connection. For a cluster or sentinels, pass one of `ioredis`.
 */
export type RedisSource = string | RedisClientOptions | NodeRedisClient | IoRedisClient;

/** Options of a {@link RedisCheckpointStore}. */
export interface RedisCheckpointStoreOptions extends CheckpointStoreOptions {
  /**
   * What the keys begin with. In a cluster it needs a part in braces, such as `{langgraph}:`, so that one server has all keys. Default
   * `langgraph:`, as langgraphgo has it.
   */
  readonly prefix?: string | undefined;
  /** How long a checkpoint is kept after it was saved, in milliseconds. Default: for ever. */
  readonly ttlMs?: number | undefined;
  /** How transient faults are retried, or `false` for no retries. Default: for 15 seconds. */
  readonly retry?: RetryOptions | false | undefined;
}

const redisOptions = z.strictObject({
  ...checkpointStoreOptions,
  prefix: keyText.default("langgraph:"),
  ttlMs: z.int().min(1).optional(),
  retry: connectionOptions.retry,
});

/**
 * A checkpoint store in Redis 7 or later, under the keys of langgraphgo. Each save is one script, so that a checkpoint and its indexes change
 * together. What is stored survives a crash as far as the persistence of the server promises it.
 *
 * @typeParam State - The type of the states. It is checked only where the option `stateSchema` is set.
 *
 * @example
 * ```ts
 * const store = new RedisCheckpointStore<{ pages: number }>("redis://localhost:6379", { ttlMs: 86_400_000 });
 * await store.setup();
 * ```
 */
export class RedisCheckpointStore<State = unknown> extends BackendCheckpointStore<State> {
  /**
   * @param source - Where the checkpoints are.
   * @throws InvalidConfigError for an invalid source or option. It does not quote the source, which may hold a password.
   */
  constructor(source: RedisSource, options: RedisCheckpointStoreOptions = {}) {
    const { prefix, ttlMs, retry, ...common } = parse(redisOptions, options, "options");
    super(new RedisBackend(clientOf(source), { prefix, ttlMs, retry }), common);
  }

  /**
   * Creates a store on a server.
   *
   * @param url - `redis://…`, or `rediss://…` for TLS.
   *
   * @example
   * ```ts
   * const store = RedisCheckpointStore.fromUrl("redis://localhost:6379/1", { prefix: "agents:" });
   * ```
   */
  static fromUrl<State = unknown>(
    url: string,
    options?: RedisCheckpointStoreOptions,
  ): RedisCheckpointStore<State> {
    return new RedisCheckpointStore(url, options);
  }
}

function clientOf(source: unknown): RedisClient {
  if (typeof source === "string") return new OpenedClient({ url: checkedUrl(source) });
  if (typeof source !== "object" || source === null) {
    throw new InvalidConfigError("source", "must be a URL, options of a Redis client, or an open one");
  }
  if (isOpenClient(source)) return passedInClient(source);
  const { url } = source as RedisClientOptions;
  if (url !== undefined) checkedUrl(url);
  return new OpenedClient(source);
}

// The client would quote a wrong URL, and the password with it.
function checkedUrl(url: unknown): string {
  if (typeof url === "string" && isRedisUrl(url)) return url;
  throw new InvalidConfigError("source", "must be a URL such as redis://user:password@host:6379/0");
}

function isRedisUrl(text: string): boolean {
  try {
    const { protocol, pathname, username, password } = new URL(text);
    decodeURIComponent(username + password);
    return ["redis:", "rediss:"].includes(protocol) && /^\/?\d*$/.test(pathname);
  } catch {
    return false;
  }
}
