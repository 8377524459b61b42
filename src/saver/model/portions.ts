/** Bounds of a portion. A single larger value is a portion of its own. */
export interface PortionBounds {
  readonly rows: number;
  /** In bytes, or whatever makes a value large. */
  readonly size: number;
}

/** Splits values, in their order, into portions that fit into memory, a statement or a transaction. */
export function* portionsOf<Value>(
  values: readonly Value[],
  sizeOf: (value: Value) => number,
  most: PortionBounds,
): Generator<Value[]> {
  let portion: Value[] = [];
  let total = 0;
  for (const value of values) {
    const size = sizeOf(value);
    if (portion.length === most.rows || (portion.length > 0 && total + size > most.size)) {
      yield portion;
      portion = [];
      total = 0;
    }
    portion.push(value);
    total += size;
  }
  if (portion.length > 0) yield portion;
}

/** Splits a list into chunks of at most `size` items. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** A page grows to this many times the preceding one. */
const PAGE_GROWTH = 4;

/** The limits of a page. */
export interface PageLimits {
  /** The most rows of a page. */
  readonly rows: number;
  /** The most characters of a page, estimated by the rows of the preceding page. */
  readonly characters: number;
}

/**
 * The number of rows of the next page.
 *
 * @param pageSize - The number of rows of the preceding page.
 * @param rowLength - The mean length of these rows, in characters.
 */
export function nextPageSize(pageSize: number, rowLength: number, limits: PageLimits): number {
  const fitting = Math.floor(limits.characters / Math.max(rowLength, 1));
  return Math.max(1, Math.min(pageSize * PAGE_GROWTH, limits.rows, fitting));
}
