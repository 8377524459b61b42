import type { ItemKey } from "./queries/item-keys.js";

/**
 * Returns a text that is the same for the same item only: no part contains U+0000.
 *
 * @param parts - Identify a part of the item, such as one of its vectors.
 */
export function idOf({ prefix, key }: ItemKey, ...parts: readonly (string | null)[]): string {
  return parts.length === 0 ? `${prefix}\0${key}` : [prefix, key, ...parts].join("\0");
}
