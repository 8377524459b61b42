import type { CallContext } from "../db/call-context.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { operationsOf } from "../telemetry/running-calls.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Bounds } from "./queries/evict-entries.js";
import { describeError } from "../telemetry/describe-error.js";
import { defineInstruments } from "../telemetry/instruments.js";

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
export const cacheOperations = operationsOf({
  "cache.setup": { table: "cache_kysely_migration" },
  "cache.get": { table: "cache_entries", isOnlyTable: true },
  "cache.set": { table: "cache_entries", isOnlyTable: true },
  "cache.clear": { table: "cache_entries", isOnlyTable: true },
  "cache.lease": { table: "cache_entries", isOnlyTable: true },
  "cache.sweep": { table: "cache_entries", isOnlyTable: true, mayTakeAnyTime: true },
  "cache.health": { table: "pg_class" },
});

/** The outcomes of entries since a cache was created. */
export interface CacheCounts {
  /** Entries that were found. */
  readonly hit: number;
  /** Keys that have no entry. */
  readonly miss: number;
  /** Entries that were found, but could not be decoded. They count as missing. */
  readonly unreadable: number;
  /** Entries that were stored. */
  readonly stored: number;
  /** Entries that were not stored because of their value, key or time. */
  readonly refused: number;
  /** Keys and entries that were left out because the database did not answer. */
  readonly skipped: number;
}

/** Counts the outcomes of entries, also in the metrics. */
export class CacheTally {
  readonly #counts = { hit: 0, miss: 0, unreadable: 0, stored: 0, refused: 0, skipped: 0 };

  add(outcome: keyof CacheCounts, entries = 1): void {
    if (entries === 0) return;
    this.#counts[outcome] += entries;
    countCacheEntries(outcome, entries);
  }

  get counts(): CacheCounts {
    return { ...this.#counts };
  }
}

const cacheEntries = defineInstruments((meter) =>
  meter.createCounter("langgraph.checkpoint.cache.entries", {
    description:
      "Entries of caches that were looked up or stored, by outcome: hit, miss, unreadable, stored, refused or skipped.",
    unit: "{entry}",
  }),
);

/** Counts entries by what has become of them. */
function countCacheEntries(outcome: string, entries: number): void {
  cacheEntries()?.add(entries, { "langgraph.checkpoint.outcome": outcome });
}

/** Counts and reports an entry that could not be used, which fails no call. */
export function reportUnused(
  { settings, telemetry }: CacheCall,
  outcome: "refused" | "unreadable",
  message: string,
  error: unknown,
): void {
  settings.tally.add(outcome);
  telemetry.report("warn", message, { error, fields: { error: describeError(error).message } });
}
