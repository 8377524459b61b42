import type { ItemKey } from "./queries/item-keys.js";

/**
 * Returns a text that is the same for the same item only: no part contains U+0000.
 *
 * @param parts - Identify a part of the item, such as one of its vectors.
 */
export function idOf({ prefix, key }: ItemKey, ...parts: readonly (string | null)[]): string {
  return parts.length === 0 ? `${prefix}\0${key}` : [prefix, key, ...parts].join("\0");
}

/** Whether the id is that of an item of a namespace, or of one below it. */
export function isOfScope(id: string, prefix: string): boolean {
  return id.startsWith(`${prefix}\0`) || id.startsWith(`${prefix}.`);
}
