export type { PostgresCacheOptions } from "./cache-options.js";
export type { CacheCounts } from "./cache-call.js";
export type { WrapOptions } from "./cache-options.js";
export { PostgresCache } from "./postgres-cache.js";
