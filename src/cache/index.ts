export type { PostgresCacheOptions } from "./cache-options.js";
export type { CacheCounts } from "./cache-tally.js";
export type { WrapOptions } from "./wrap-options.js";
export { PostgresCache } from "./postgres-cache.js";
