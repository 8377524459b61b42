import { checkedItem } from "./checked-value.js";
import { decodeFound, decodeItem } from "./codec/decode-item.js";
import type { FoundItem, StoreItem } from "./model/item.js";
import type { ItemRow } from "./queries/item-columns.js";
import type { FoundRow } from "./queries/search-items.js";
import type { StoreCall } from "./store-call.js";

/** Turns a row into the item that the caller of the store sees. */
export async function toItem(call: StoreCall, row: ItemRow): Promise<StoreItem> {
  return seen(call, await decodeItem(row, call.settings.sealing));
}

/** Turns a row that a search has found into the item that the caller of the store sees. */
export async function toFoundItem(call: StoreCall, row: FoundRow): Promise<FoundItem> {
  return seen(call, await decodeFound(row, call.settings.sealing));
}

/** The namespace as the caller of a scoped store sees it. */
export function withoutRoot({ settings }: StoreCall, namespace: readonly string[]): string[] {
  return namespace.slice(settings.root.length);
}

async function seen<Item extends StoreItem>(call: StoreCall, item: Item): Promise<Item> {
  const checked = call.settings.rules.isEmpty ? item : await checkedItem(call, item);
  return { ...checked, namespace: withoutRoot(call, checked.namespace) };
}
