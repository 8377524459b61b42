import { idOf } from "../item-id.js";
import type { ItemKey } from "../queries/item-keys.js";
import type { ItemRow } from "../queries/item-columns.js";

/** How many items a watch remembers, since a change may become known in two ways. */
const MAX_RECENT = 10_000;

/** The items that a watch has yielded last, in bounded memory. */
export class RecentItems {
  readonly #seen = new Map<string, string>();

  /** Remembers an item. Returns whether it is new, or was stored again since. */
  add(row: Pick<ItemRow, "prefix" | "key" | "version" | "updated_ms">): boolean {
    const id = idOf(row);
    const state = `${row.version} ${row.updated_ms}`;
    if (this.#seen.get(id) === state) return false;
    this.#seen.delete(id);
    this.#seen.set(id, state);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_RECENT && oldest !== undefined) this.#seen.delete(oldest);
    return true;
  }

  /** Forgets an item that was deleted. */
  remove(item: ItemKey): void {
    this.#seen.delete(idOf(item));
  }
}
