import type { CompiledFilter } from "./queries/matches-filter.js";
import type { ItemKey } from "./queries/item-rows.js";
import type { NamespaceQuery } from "./queries/list-namespaces.js";
import type { TextQuery } from "./queries/search-shape.js";

/** A parsed operation of a batch. */
export type StoreOperation = GetOperation | SearchOperation | ListOperation | WriteOperation;

/** What a write does: it stores an item, or deletes it. */
export type WriteOperation = PutOperation | DeleteOperation;

export interface GetOperation extends ItemKey {
  readonly kind: "get";
  readonly refreshes: boolean;
}

export interface SearchOperation {
  readonly kind: "search";
  readonly prefix: string;
  readonly filter: CompiledFilter;
  readonly limit: number;
  readonly offset: number;
  readonly refreshes: boolean;
  readonly text: TextQuery | undefined;
  /** A search by embeddings, perhaps beside one by text. */
  readonly vector: VectorQuery | undefined;
}

/** A search by embeddings. */
interface VectorQuery {
  readonly query: string;
  /** Whether the other items of the scope follow those that have a score. */
  readonly unscored: boolean;
  /** The part of the embeddings in the score of a hybrid search. The rest is that of the text. */
  readonly weight: number;
}

export interface ListOperation extends NamespaceQuery {
  readonly kind: "list";
}

export interface PutOperation extends ItemKey {
  readonly kind: "put";
  readonly namespace: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
  /** `null`: for ever. */
  readonly ttlMinutes: number | null;
  /** The paths of the texts that are embedded, where the store embeds any. */
  readonly paths: readonly string[];
  /** Whether the caller of the put has chosen them. */
  readonly choosesPaths: boolean;
  /** The version that the item must have; 0 for no item. `undefined`: any. */
  readonly expectedVersion: number | undefined;
}

export interface DeleteOperation extends ItemKey {
  readonly kind: "delete";
}

export function isGet(operation: StoreOperation): operation is GetOperation {
  return operation.kind === "get";
}

export function isSearch(operation: StoreOperation): operation is SearchOperation {
  return operation.kind === "search";
}

export function isList(operation: StoreOperation): operation is ListOperation {
  return operation.kind === "list";
}

export function isWrite(operation: StoreOperation): operation is WriteOperation {
  return operation.kind === "put" || operation.kind === "delete";
}
