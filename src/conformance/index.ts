export { cacheSuite, type CacheSubject, type CacheSuiteOptions } from "./cache-suite.js";
export {
  checkpointStoreSuite,
  type CreateCheckpointStore,
  type CreatedCheckpointStore,
  type SuiteCheckpointStoreOptions,
} from "./checkpoint-store-suite.js";
export {
  type CreatedStore,
  type CreateStore,
  storeSuite,
  type StoreSuiteOptions,
  type SuiteStoreOptions,
  type SuiteTtl,
} from "./store-suite.js";
export type { SuiteCase } from "./suite-case.js";
