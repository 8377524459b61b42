import type { ValueNode } from "./value-node.js";

/** Whether there is a store, and what it can do. */
export interface MemoryView {
  /** Whether the tables of the store exist. */
  readonly exists: boolean;
  /** Whether items can be searched by meaning: the inspector was given a store with an index. */
  readonly hasVectors: boolean;
}

/** Which namespaces of the store to list, in the order of their labels: those right below another one. */
export interface MemoryNamespacesQuery {
  readonly prefix: readonly string[];
  readonly offset?: number | undefined;
  /** At most 500. Default: 200. */
  readonly limit?: number | undefined;
}

/** A page of namespaces. */
export interface MemoryNamespaces {
  readonly namespaces: readonly (readonly string[])[];
  readonly hasMore: boolean;
}

/** Which items of the store to list. */
export interface ItemsQuery {
  readonly prefix: readonly string[];
  /** Words to search for, or a text for a search by meaning. */
  readonly query?: string | undefined;
  /** How the query finds items. Default: `meaning` where {@link MemoryView.hasVectors}. */
  readonly by?: "words" | "meaning" | undefined;
  /** LangGraph's filter on the values. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly offset?: number | undefined;
  /** At most 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** An item in a list. */
export interface ItemRow {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How well the item matches the query. */
  readonly score?: number;
  readonly value: ValueNode;
}

/** A page of items. */
export interface Items {
  readonly items: readonly ItemRow[];
  readonly hasMore: boolean;
}
