import type { CallContext } from "../db/call-context.js";
import { observeCall, observedOperations } from "../db/observe-call.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { CacheTally } from "./cache-tally.js";
import type { Bounds } from "./queries/evict-entries.js";

/** What the calls of one cache share. */
export interface CacheSettings extends Bounds {
  /** What precedes the namespaces of this cache in the table. */
  readonly scope: string;
  /** How long an entry lives that has no `ttl`, in seconds. `undefined`: for ever. */
  readonly defaultTtl: number | undefined;
  readonly maxValueBytes: number;
  /** Whether the table is created without a log. */
  readonly unlogged: boolean;
  readonly tally: CacheTally;
}

/** The context of one call of a cache. */
export interface CacheCall extends CallContext {
  readonly settings: CacheSettings;
  readonly serde: ContextualSerializer;
  readonly telemetry: Telemetry;
}

/** The operations of a cache; see `observedOperations`. */
const OPERATIONS = {
  "cache.setup": "cache_kysely_migration",
  "cache.get": "cache_entries only",
  "cache.set": "cache_entries only",
  "cache.clear": "cache_entries only",
  "cache.lease": "cache_entries only",
  "cache.sweep": "cache_entries only",
  "cache.health": "pg_class",
} as const;

/** The name of an operation, as spans, metrics and logs show it. */
export type CacheOperationName = keyof typeof OPERATIONS;

/** What telemetry reports about each operation. */
export const OBSERVED = /* @__PURE__ */ observedOperations(OPERATIONS);

/** Runs one call of a cache. It is observed where telemetry is active. */
export function runCacheCall<T>(
  base: CacheCall,
  name: CacheOperationName,
  work: (call: CacheCall) => Promise<T>,
): Promise<T> {
  return observeCall(base, OBSERVED[name], work);
}
