import { countCacheEntries } from "./cache-events.js";

/** The outcomes of entries since a cache was created. */
export interface CacheCounts {
  /** Entries that were found. */
  readonly hit: number;
  /** Keys that have no entry. */
  readonly miss: number;
  /** Entries that were found, but could not be decoded. They count as missing. */
  readonly unreadable: number;
  /** Entries that were stored. */
  readonly stored: number;
  /** Entries that were not stored because of their value, key or time. */
  readonly refused: number;
  /** Keys and entries that were left out because the database did not answer. */
  readonly skipped: number;
}

/** Counts the outcomes of entries, also in the metrics. */
export class CacheTally {
  readonly #counts = { hit: 0, miss: 0, unreadable: 0, stored: 0, refused: 0, skipped: 0 };

  add(outcome: keyof CacheCounts, entries = 1): void {
    if (entries === 0) return;
    this.#counts[outcome] += entries;
    countCacheEntries(outcome, entries);
  }

  get counts(): CacheCounts {
    return { ...this.#counts };
  }
}
