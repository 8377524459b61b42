export type { Health, SchemaHealth } from "../health/health.js";
export type { DatabaseSource } from "../db/opened-database.js";
export type { CacheDatabase } from "../db/checkpoint-database.js";
export type { SetupOptions } from "../parsing/parse-setup-options.js";
export type { SweepOptions } from "../parsing/sweep-option.js";
export type { PostgresCacheOptions } from "./cache-options.js";
export type { CacheCounts } from "./cache-tally.js";
export type { WrapOptions } from "./wrap-options.js";
export { PostgresCache } from "./postgres-cache.js";
