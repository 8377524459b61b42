import type { EditableValue } from "./changes.js";
import type { ValueNode } from "./value-node.js";

/** An item of the store. */
export interface ItemPlace {
  readonly namespace: readonly string[];
  readonly key: string;
}

/** Whether there is a store, and what it can do. */
export interface MemoryState {
  /** Whether the tables of the store exist. */
  readonly exists: boolean;
  /** Whether items can be searched by meaning: the inspector was given a store with an index. */
  readonly hasVectors: boolean;
  /** Whether new items get what the application's store gives them: vectors, encryption, a time to live. Otherwise they are plain JSON. */
  readonly writesAsApplication: boolean;
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
  /** How the query finds items. Default: `meaning` where {@link MemoryState.hasVectors}. */
  readonly by?: "words" | "meaning" | undefined;
  /** LangGraph's filter on the values. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly offset?: number | undefined;
  /** At most 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** An item in a list. */
export interface ListedItem {
  readonly namespace: readonly string[];
  readonly key: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent for an item that lives for ever. */
  readonly expiresAt?: number;
  /** How well the item matches the query. */
  readonly score?: number;
  readonly value: ValueNode;
}

/** A page of items. */
export interface Items {
  readonly items: readonly ListedItem[];
  readonly hasMore: boolean;
}

/** What is stored of an item beside its value. */
export interface ItemFacts {
  /** Rises with each change of the item. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent for an item that lives for ever. */
  readonly expiresAt?: number;
  /** How long the item lives after it was stored or read, in minutes. */
  readonly ttlMinutes?: number;
}

/** An item as a person may edit it. */
export interface EditableItem extends EditableValue {
  /** What {@link ItemEdit.version} has to be. */
  readonly version: number;
}

/** A new value of an item. */
export interface ItemEdit extends ItemPlace {
  readonly value: Readonly<Record<string, unknown>>;
  /** The version that was edited. An item with another one is not changed. */
  readonly version: number;
}

/** An item to store that is not there yet. */
export interface NewItem extends ItemPlace {
  readonly value: Readonly<Record<string, unknown>>;
  /** How long it lives, in minutes; `null` for ever. Default: by the options of the store. */
  readonly ttlMinutes?: number | null | undefined;
}

/** Which namespaces to sum up: one with all below it, or those that have a label anywhere, such as the id of a user. */
export type ItemSumsQuery = { readonly prefix: readonly string[] } | { readonly label: string };

/** What a namespace holds. */
export interface NamespaceSums {
  readonly namespace: readonly string[];
  /** With those that have expired, and are not swept yet. */
  readonly items: number;
  readonly expired: number;
  /** The first keys. */
  readonly keys: readonly string[];
}

/** What namespaces hold. */
export interface ItemSums {
  /** The items of all these namespaces, also of those that are not listed. */
  readonly items: number;
  readonly namespaces: readonly NamespaceSums[];
  readonly hasMore: boolean;
}

/** A namespace to delete with all namespaces below it. */
export interface NamespaceDeletion {
  readonly namespace: readonly string[];
  /** How many items the person was told of, {@link ItemSums.items}. With another number nothing is deleted. */
  readonly items: number;
}

/** How many items were deleted. */
export interface DeletedItems {
  readonly items: number;
}
