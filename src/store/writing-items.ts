import { describeItem } from "../errors/store-errors.js";
import { toNamespace } from "./codec/item-namespace-text.js";
import type { ItemKey } from "./queries/item-keys.js";
import type { StoreCall } from "./store-call.js";

/** Names the items that a call writes, for the error where row-level security refuses one. */
export function writingItems(call: StoreCall, items: readonly ItemKey[]): StoreCall {
  return { ...call, written: () => items.map(rowOf) };
}

function rowOf({ prefix, key }: ItemKey) {
  const namespace = toNamespace(prefix);
  return { name: describeItem({ namespace, key }), tenant: namespace[0] };
}
