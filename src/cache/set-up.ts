import { optionalSets } from "../migrations/sets.js";
import { setUpSets } from "../migrations/set-up-sets.js";
import type { CacheCall } from "./cache-call.js";

/** Migrates the table of the cache to the newest version; see `PostgresCache.setup`. */
export function setUp(call: CacheCall): Promise<void> {
  const { cache } = optionalSets({ unloggedCache: call.settings.unlogged });
  return setUpSets(call, [cache]);
}
