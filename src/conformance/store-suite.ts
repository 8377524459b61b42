import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { batchCases } from "./store-cases/batches.js";
import { combinedFilterCases, filterCases, searchCases } from "./store-cases/searches.js";
import { itemCases, itemValueCases } from "./store-cases/items.js";
import { namespaceCases, namespaceListCases } from "./store-cases/namespaces.js";
import type { SuiteStoreOptions } from "./store-cases/store-checks.js";
import { ttlCases } from "./store-cases/ttl.js";
import { vectorCases } from "./store-cases/vectors.js";
import { type SuiteCase, suiteOf } from "./suite-case.js";

export type { SuiteStoreOptions, SuiteTtl } from "./store-cases/store-checks.js";

/** A store for one case of the suite. */
export interface CreatedStore {
  readonly store: BaseStore;
  /** Called at the end of the case. */
  close?(): Promise<void>;
  /** Makes the items of the store older by this many minutes. The cases of `ttl` need it, since the suite never waits. */
  elapse?(minutes: number): Promise<void>;
}

/** Creates a store without any items, for one case. Cases that need no options pass none. */
export type CreateStore = (options: SuiteStoreOptions) => Promise<CreatedStore>;

/** What the store supports beyond `BaseStore`. */
export interface StoreSuiteOptions {
  /** Filters combine by `$and`, `$or` and `$not`. Default `false`. */
  readonly combinedFilters?: boolean;
  /** `put` takes `{ ttl }` in minutes as its fifth argument, and reads take `refreshTtl`. Default `false`. */
  readonly ttl?: boolean;
  /** Searches by meaning, with the option `index` of LangGraph's stores. Default `false`. */
  readonly vectors?: boolean;
}

/**
 * Returns a conformance suite for stores of LangGraph.js: what `BaseStore` promises about items, namespaces, filters, pages and batches.
 * It uses only the public methods, so that it checks any store in any test runner.
 *
 * @param create - Creates an empty store for each case.
 * @param options - What the store supports beyond `BaseStore`. Without an option, the suite leaves out its cases.
 * @returns The cases, which share nothing. Each fails by an `AssertionError` that says what the store returned.
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { InMemoryStore } from "@langchain/langgraph-checkpoint";
 * import { storeSuite } from "langgraph-checkpoint-kysely/conformance";
 *
 * const create = async () => ({ store: new InMemoryStore() });
 * for (const { name, run } of storeSuite(create)) test(name, run);
 * ```
 */
export function storeSuite(create: CreateStore, options: StoreSuiteOptions = {}): readonly SuiteCase[] {
  const cases = {
    ...itemCases,
    ...itemValueCases,
    ...namespaceCases,
    ...searchCases,
    ...filterCases,
    ...(options.combinedFilters === true && combinedFilterCases),
    ...namespaceListCases,
    ...batchCases,
    ...(options.ttl === true && ttlCases),
    ...(options.vectors === true && vectorCases),
  };
  return suiteOf(cases, create, (created) => ({
    store: created.store,
    elapse: async (minutes) => {
      if (created.elapse === undefined) throw new TypeError("the suite needs `elapse` where `ttl` is set");
      await created.elapse(minutes);
    },
  }));
}
