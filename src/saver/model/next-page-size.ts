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
