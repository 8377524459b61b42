import type { PostgresCache } from "../../src/cache/index.js";

const HOUR_S = 3_600;

/** Results of nodes, as graphs with a `cachePolicy` keep them. */
const RESULTS = [
  ["search", "lisbon", { report: "Lisbon has 300 days of sun a year." }, 24 * HOUR_S],
  ["search", "oslo", { report: "Oslo is green from May to September." }, 24 * HOUR_S],
  ["summarize", "cities", { summary: "Go south in winter, and north in summer." }, undefined],
] as const;

/** Puts some results into the cache, in the place of those of an earlier demo. */
export async function seedCache(cache: PostgresCache): Promise<void> {
  await cache.setup();
  await cache.clear([]);
  await cache.set(
    RESULTS.map(([node, key, value, ttl]) => ({
      key: [["__pregel_ns_writes", node], key],
      value,
      ...(ttl !== undefined && { ttl }),
    })),
  );
}
