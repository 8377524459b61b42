import type { CallContext } from "../db/call-context.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { operationsOf } from "../telemetry/observed-operation.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { CacheTally } from "./cache-tally.js";
import type { Bounds } from "./queries/evict-entries.js";

/** What the calls of one cache share. */
interface CacheSettings extends Bounds {
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

/** The operations of a cache. */
export const cacheOperations = /* @__PURE__ */ operationsOf({
  "cache.setup": { table: "cache_kysely_migration" },
  "cache.get": { table: "cache_entries", isOnlyTable: true },
  "cache.set": { table: "cache_entries", isOnlyTable: true },
  "cache.clear": { table: "cache_entries", isOnlyTable: true },
  "cache.lease": { table: "cache_entries", isOnlyTable: true },
  "cache.sweep": { table: "cache_entries", isOnlyTable: true, mayTakeAnyTime: true },
  "cache.health": { table: "pg_class" },
});
