import { parse } from "../parsing/parse.js";
import type { CacheDatabase } from "../db/checkpoint-database.js";
import { openCall } from "../db/open-call.js";
import type { DatabaseSource } from "../db/opened-database.js";
import { Preparation } from "../db/preparation.js";
import { sweepRounds } from "../db/scheduling/sweep-rounds.js";
import { checkedSerializer } from "../serde/serializer-layer.js";
import { MsgpackSerializer } from "../serde/msgpack/msgpack-serializer.js";
import { type CacheOptions, cacheOptions } from "./cache-options.js";
import { type CacheCall, cacheOperations, CacheTally } from "./cache-call.js";
import { cacheScope } from "./entry-place.js";
import { GuardedCalls } from "./guarded-calls.js";
import { GrowthWatch, sweepEntries } from "./trimming.js";
import { optionalSets } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import { runCall } from "../db/run-call.js";
import { checkHealth } from "../health/check-health.js";
import type { Health } from "../health/health.js";

/** The tables that must separate tenants. */
const TENANT_TABLES = ["cache_entries"];

/** What the methods of a cache work with. */
export interface OpenedCache {
  /** The context that each call of the cache starts from. */
  readonly call: CacheCall;
  /** What happens before the first call, and beside all of them. */
  readonly preparation: Preparation;
  readonly guarded: GuardedCalls;
  readonly growth: GrowthWatch;
  /** Whether a failed `get` rejects. */
  readonly throwsErrors: boolean;
}

/**
 * Checks the arguments of a cache's constructor. It sends nothing.
 *
 * @throws InvalidConfigError for an invalid source, serializer or option.
 */
export function openCache(source: DatabaseSource<CacheDatabase>, options: unknown): OpenedCache {
  const parsed = parse(cacheOptions, options, "options");
  // A default for undefined only. Anything else that is no serializer is a mistake, by which values would be stored as plain text.
  const { serde: given = new MsgpackSerializer() } = parsed;
  const serde = checkedSerializer(given);
  const opened = openCall(source, parsed, TENANT_TABLES);
  const settings = settingsOf(parsed, new CacheTally());
  const call: CacheCall = { ...opened, optionalTables: ["cache"], serde, settings };
  const preparation = new Preparation({
    ensuresTables: parsed.ensureTables,
    setUp: (plan) => runCall({ ...call, ...plan }, cacheOperations["cache.setup"], setUp),
    sweeps: sweepRounds<CacheCall>({
      call,
      operation: cacheOperations["cache.sweep"],
      everyMinutes: parsed.sweepIntervalMinutes,
      sweep: sweepEntries,
    }),
  });
  return {
    call,
    preparation,
    guarded: new GuardedCalls(preparation, parsed),
    growth: new GrowthWatch(settings),
    throwsErrors: parsed.onError === "throw",
  };
}

function settingsOf(options: CacheOptions, tally: CacheTally) {
  const { tenantId, keyPrefix, defaultTtl, maxValueBytes, maxEntries, maxBytes, unlogged } = options;
  return {
    scope: cacheScope(tenantId, keyPrefix),
    defaultTtl,
    maxValueBytes,
    maxEntries: maxEntries ?? null,
    maxBytes: maxBytes ?? null,
    unlogged,
    tally,
  };
}

/** Migrates the table of the cache to the newest version; see `PostgresCache.setup`. */
function setUp(call: CacheCall): Promise<void> {
  const { cache } = optionalSets({ unloggedCache: call.settings.unlogged });
  return setUpSets(call, [cache]);
}

const TABLES = ["cache_entries"];
const PRIVILEGES = ["select", "insert", "update", "delete"].map((right) => `${right} on cache_entries`);

/** Checks whether entries can be stored now. It never rejects. */
export function cacheHealth(call: CacheCall, options: unknown): Promise<Health> {
  const requirements = {
    operation: cacheOperations["cache.health"],
    stored: "entries",
    sets: [optionalSets().cache],
    tables: TABLES,
    privileges: PRIVILEGES,
  };
  return checkHealth(call, requirements, options);
}
