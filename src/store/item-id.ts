import type { ItemKey } from "./queries/item-keys.js";

/**
 * Returns a text that is the same for the same item only.
 *
 * @param parts - Identify a part of the item, such as one of its vectors.
 */
export function idOf({ prefix, key }: ItemKey, ...parts: readonly (string | null)[]): string {
  return JSON.stringify([prefix, key, ...parts]);
}
