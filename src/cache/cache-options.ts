import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type ConnectionOptions, connectionOptions } from "../parsing/connection-options.js";
import { type SweepOptions, sweepOption } from "../parsing/sweep-option.js";
import { z } from "zod";
import { MAX_TIMER_MS } from "../db/async/timers.js";
import { keyText } from "../parsing/keys.js";
import { functionSchema } from "../parsing/parse.js";

/** The options of a cache. */
export interface PostgresCacheOptions extends ConnectionOptions, SweepOptions {
  /**
   * Encodes and decodes the values. Default: `new MsgpackSerializer()`, as for a saver. An encrypting serializer refuses an entry that
   * was moved to another place.
   */
  readonly serde?: SerializerProtocol | undefined;
  /**
   * Separates the entries of this cache from those of others in the same table: give each graph a prefix of its own. Without it, graphs
   * with equal names of nodes and equal inputs share results. `clear([])` and the bounds apply to the entries of this prefix.
   */
  readonly keyPrefix?: string | undefined;
  /**
   * What a `get` does that can't reach the database: `"miss"` finds nothing, so that the run computes the results, `"throw"` rejects, which
   * fails the run. `set` never rejects, because LangGraph does not await it, and the rejection would end the process. Default `"miss"`.
   */
  readonly onError?: "miss" | "throw" | undefined;
  /** How long a `get` or a `set` waits for the database, in milliseconds. Default 1,000. */
  readonly deadlineMs?: number | undefined;
  /**
   * How long the cache leaves a database alone that has not answered, in milliseconds. Meanwhile nothing is found or stored, and nothing
   * waits. Then one call tries again, and its caller does not wait either. Default 5,000.
   */
  readonly retryAfterMs?: number | undefined;
  /** How long an entry lives that is set without a `ttl`, in seconds. Default: for ever. */
  readonly defaultTtl?: number | undefined;
  /** The largest number of entries. The cache deletes those that expire first, then the oldest ones. Default: no bound. */
  readonly maxEntries?: number | undefined;
  /** The most bytes of all values. The cache deletes those that expire first, then the oldest ones. Default: no bound. */
  readonly maxBytes?: number | undefined;
  /** The largest value, in bytes as it is stored. A larger one is not stored. Default 16 MiB. */
  readonly maxValueBytes?: number | undefined;
  /**
   * Whether the table is left out of the write-ahead log when it is created: a `set` takes a fraction of the time, but the table is empty
   * after a crash of the server, and not readable on replicas. Default `true`.
   */
  readonly unlogged?: boolean | undefined;
  /** Whether the first call runs `setup()`. Default `true`; `false` where a pipeline migrates. */
  readonly ensureTables?: boolean | undefined;
}

/** The options of `PostgresCache.wrap`. */
export interface WrapOptions<Args extends readonly unknown[]> {
  /** The namespace of the entries. Functions that return different results need different ones. */
  readonly namespace: readonly string[];
  /** Returns the key of a call. Default: a hash of the arguments, which must be values that a saver can store. */
  readonly key?: ((...args: Args) => string) | undefined;
  /** How long an entry lives, in seconds. Default: the cache's `defaultTtl`. */
  readonly ttl?: number | undefined;
  /**
   * How long others wait for the call that computes the result, in seconds; then they compute it themselves. Choose it longer than the
   * function takes. Default 30.
   */
  readonly leaseSeconds?: number | undefined;
}

const count = z.int().min(1);

const milliseconds = z.number().min(1).max(MAX_TIMER_MS);
const seconds = z.number().positive();

/** The base64 text of a value stays far below the longest string of Node.js. */
const MAX_VALUE_BYTES = 2 ** 28;

// Strict: a misspelt option would silently have no effect.
export const cacheOptions = z.strictObject({
  ...connectionOptions,
  ...sweepOption,
  // Checked by `checkedSerializer`.
  serde: z.custom<SerializerProtocol>(() => true).optional(),
  keyPrefix: keyText.refine((text) => text !== "", "must not be empty").optional(),
  onError: z.enum(["miss", "throw"]).default("miss"),
  deadlineMs: milliseconds.default(1_000),
  retryAfterMs: milliseconds.default(5_000),
  defaultTtl: seconds.optional(),
  maxEntries: count.optional(),
  maxBytes: count.optional(),
  maxValueBytes: count.max(MAX_VALUE_BYTES).default(16 * 2 ** 20),
  unlogged: z.boolean().default(true),
  ensureTables: z.boolean().default(true),
});

/** The parsed options of a cache, with defaults. */
export type CacheOptions = z.output<typeof cacheOptions>;

export const wrapOptions = z.strictObject({
  namespace: z.array(z.string()),
  key: functionSchema<(...args: never[]) => string>().optional(),
  ttl: z.number().positive().optional(),
  leaseSeconds: z.number().positive().max(86_400).default(30),
});

/** The parsed options of `wrap`, with defaults. */
export type WrapSettings = z.output<typeof wrapOptions>;
