import type { AsyncResource } from "node:async_hooks";
import { type ItemKey, itemId } from "../queries/item-rows.js";
import { type VectorRow, STORED } from "../queries/stored-vectors.js";
import { type VectorSettings, textHash, type VectorsByText, isZero, vectorText } from "./embed-texts.js";
import { type ItemText, CHOSEN } from "./item-texts.js";

/** An item whose vectors are to be replaced. */
export interface EmbeddedItem extends ItemKey {
  readonly texts: readonly ItemText[];
  /** Whether the caller of the put has chosen the paths of the texts. */
  readonly choosesPaths: boolean;
  /** The async context of the caller whose texts these are, where the calls of several share a statement. */
  readonly caller?: AsyncResource | undefined;
}

/** A vector that an item should have. */
export interface WantedVector extends ItemKey {
  readonly fieldName: string;
  /** `undefined` for the row that says that a put has chosen the paths. */
  readonly text: string | undefined;
  readonly hash: string | null;
}

/** The vectors that an item should have. */
export function wantedVectors(vectors: VectorSettings, item: EmbeddedItem): WantedVector[] {
  const { prefix, key, texts, choosesPaths } = item;
  const marker = { prefix, key, fieldName: CHOSEN, text: undefined, hash: null };
  const wanted = texts.map(({ fieldName, text }) => ({
    prefix,
    key,
    fieldName,
    text,
    hash: textHash(vectors, text),
  }));
  return choosesPaths ? [...wanted, marker] : wanted;
}

/**
 * The row of a vector.
 *
 * @param isStored - Whether the item has the vector of the text already.
 */
export function toRow(
  { layout }: VectorSettings,
  { prefix, key, fieldName, text, hash }: WantedVector,
  isStored: boolean,
  embedded: VectorsByText,
): VectorRow {
  const row = { prefix, key, fieldName, hash };
  if (isStored) return { ...row, vector: STORED };
  const vector = embedded.get(text ?? "");
  // A vector of zeros has no cosine. Its hash is stored nevertheless, so that its text is not embedded again.
  const isUseless = vector === undefined || (layout.distance === "cosine" && isZero(vector));
  return { ...row, vector: isUseless ? null : vectorText(vector) };
}

/** A text that an item has a vector of, with the name of the vector where the statement reads it. */
export interface KnownText extends ItemKey {
  readonly hash: string | null;
  readonly field_name?: string;
}

/** The vectors of items that are stored, by what they are of. */
export class StoredVectors {
  readonly #texts: ReadonlySet<string>;
  readonly #rows: ReadonlySet<string>;

  constructor(rows: readonly KnownText[]) {
    this.#texts = new Set(rows.map((row) => itemId(row, row.hash)));
    this.#rows = new Set(rows.map((row) => itemId(row, row.hash, row.field_name ?? "")));
  }

  /** Whether the item has the vector of the text, perhaps under another name. */
  has(row: WantedVector): boolean {
    return row.hash !== null && this.#texts.has(itemId(row, row.hash));
  }

  hasInPlace(row: WantedVector): boolean {
    return row.hash !== null && this.#rows.has(itemId(row, row.hash, row.fieldName));
  }
}
