import type { Bounds } from "./queries/evict-entries.js";

/** A cache may exceed a bound by this part of it, for each process that writes. */
const TOLERANCE = 0.1;

/** Notices when enough was stored that the bounds of a cache may be exceeded. */
export class GrowthWatch {
  readonly #mostEntries: number;
  readonly #mostBytes: number;
  #entries = 0;
  #bytes = 0;

  constructor({ maxEntries, maxBytes }: Bounds) {
    this.#mostEntries = maxEntries === null ? Infinity : maxEntries * TOLERANCE;
    this.#mostBytes = maxBytes === null ? Infinity : maxBytes * TOLERANCE;
  }

  /** Counts what was stored, and returns whether it is time to compare the whole cache with its bounds. */
  stored(entries: number, bytes: number): boolean {
    this.#entries += entries;
    this.#bytes += bytes;
    if (this.#entries < this.#mostEntries && this.#bytes < this.#mostBytes) return false;
    this.#entries = 0;
    this.#bytes = 0;
    return true;
  }
}
