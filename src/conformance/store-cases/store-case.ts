import type { BaseStore, IndexConfig, Item, SearchItem } from "@langchain/langgraph-checkpoint";

/** The options that a case needs its store to have. */
export interface SuiteStoreOptions {
  /** Present only with the option `vectors` of the suite. */
  readonly index?: IndexConfig;
  /** Present only with the option `ttl` of the suite. */
  readonly ttl?: SuiteTtl;
}

/** How long the items of a store live, as most stores take it. */
export interface SuiteTtl {
  /** How long an item lives that is put without a TTL, in minutes. */
  readonly defaultTtl?: number;
  /** Whether reading an item starts its time again. */
  readonly refreshOnRead: boolean;
}

/** A store whose items may expire. */
export interface TtlStore extends BaseStore {
  put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options?: { readonly ttl?: number | null },
  ): Promise<void>;
  get(namespace: string[], key: string, options?: { readonly refreshTtl?: boolean }): Promise<Item | null>;
  search(
    namespacePrefix: string[],
    options?: {
      filter?: Record<string, unknown>;
      limit?: number;
      offset?: number;
      query?: string;
      refreshTtl?: boolean;
    },
  ): Promise<SearchItem[]>;
}

/** A promise, and how it is checked with an empty store. */
export interface StoreCase {
  readonly name: string;
  readonly options?: SuiteStoreOptions;
  readonly check: (store: TtlStore, elapse: (minutes: number) => Promise<void>) => Promise<void>;
}
