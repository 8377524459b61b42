import type { ValueNode } from "./value-node.js";

/** Which namespaces of caches to list, in the order of their texts. */
export interface CacheNamespacesQuery {
  /** The namespace before the first one. */
  readonly after?: string | undefined;
  /** At most 200. Default: 100. */
  readonly limit?: number | undefined;
}

/** The caches with a `keyPrefix`, or without one. */
export interface CachePrefix {
  /** The tenant, where the saver has none. */
  readonly tenantId?: string | undefined;
  readonly keyPrefix?: string | undefined;
}

/** A namespace of a cache. Entries that have expired are there until a sweep deletes them. */
export interface CacheNamespaceRow extends CachePrefix {
  /** The namespace as the table has it, with the tenant and the prefix. */
  readonly namespace: string;
  /** Absent where the text is not one that this library writes. */
  readonly labels?: readonly string[];
  /** The entries that have not expired. */
  readonly entries: number;
  readonly expired: number;
  /** The bytes of all values. */
  readonly bytes: number;
  readonly oldestAt: number;
  readonly newestAt: number;
  /** When the next entry expires. */
  readonly nextExpiryAt?: number;
}

/** A page of namespaces. */
export interface CacheNamespaces {
  readonly namespaces: readonly CacheNamespaceRow[];
  /** What the next page begins after; absent on the last one. */
  readonly next?: string;
}

/** An entry of a cache. */
export interface CacheEntryPlace {
  /** The namespace as the table has it. */
  readonly namespace: string;
  readonly key: string;
}

/** Which entries to list, the newest first. */
export interface CacheEntriesQuery {
  readonly namespace: string;
  /** Only the entry with this key. */
  readonly key?: string | undefined;
  readonly offset?: number | undefined;
  /** At most 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** An entry in a list. */
export interface CacheEntryRow {
  readonly key: string;
  readonly createdAt: number;
  /** Absent for an entry that lives for ever. */
  readonly expiresAt?: number;
  readonly isExpired: boolean;
  readonly bytes: number;
  /** Absent for a value that is too large to be read for a list. */
  readonly value?: ValueNode;
}

/** A page of entries. */
export interface CacheEntriesPage extends CachePrefix {
  readonly labels?: readonly string[];
  readonly entries: readonly CacheEntryRow[];
  readonly hasMore: boolean;
}
