export { cacheSuite, type CacheSubject, type CacheSuiteOptions } from "./cache-suite.js";
export {
  type CreatedStore,
  type CreateStore,
  storeSuite,
  type StoreSuiteOptions,
  type SuiteStoreOptions,
  type SuiteTtl,
} from "./store-suite.js";
export type { SuiteCase } from "./suite-case.js";
