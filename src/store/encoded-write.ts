import type { ItemKey } from "./queries/item-keys.js";
import type { PutRow } from "./queries/write-items.js";
import type { EmbeddedItem } from "./vectors/wanted-vectors.js";

/** What is stored of an item, or the place of one that is deleted. */
export type EncodedWrite = EncodedPut | EncodedDeletion;

export interface EncodedPut extends ItemKey {
  readonly kind: "put";
  readonly row: PutRow;
  /** What its vectors are made of. */
  readonly embedded: EmbeddedItem;
}

export interface EncodedDeletion extends ItemKey {
  readonly kind: "delete";
}
