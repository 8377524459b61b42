import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { ConnectionOptions } from "../parsing/connection-options.js";
import type { SweepOptions } from "../parsing/sweep-option.js";

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
