import type { Item, SearchItem } from "@langchain/langgraph-checkpoint";

/** The value of an item: JSON data by key. */
export type ItemValue = Item["value"];

/**
 * An item of a store.
 *
 * @typeParam Value - The type of its value, which the call claims. A schema of the store's `namespaces` checks it.
 */
export interface StoreItem<Value extends ItemValue = ItemValue> extends Item {
  value: Value;
  /** Rises with each `put` of the item, from 1 on. Pass it as `ifVersion`. */
  version: number;
  /** When the item expires. Absent if it lives for ever. */
  expiresAt?: Date;
}

/** An item that a search has found. */
export interface FoundItem<Value extends ItemValue = ItemValue> extends StoreItem<Value>, SearchItem {
  value: Value;
}
