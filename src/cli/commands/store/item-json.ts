import type { StoreItem } from "../../../store/model/item.js";

/** An item as JSON shows it. */
export function itemJson<Item extends StoreItem>(item: Item): Item & { readonly expiresAt: Date | null } {
  return { ...item, expiresAt: item.expiresAt ?? null };
}
