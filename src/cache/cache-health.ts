import { checkHealth } from "../health/check-health.js";
import type { Health } from "../health/health.js";
import { optionalSets } from "../migrations/sets.js";
import { type CacheCall, cacheOperations } from "./cache-call.js";

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
