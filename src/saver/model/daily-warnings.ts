import type { NamespaceKey } from "./keys.js";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Also limits the memory for namespaces that were warned of. */
const MAX_WARNINGS_A_DAY = 100;

/** Emits Node.js warnings of one kind: once per day (UTC) and namespace, and a hundred times per day in all. */
export class DailyWarnings {
  readonly #kind: { readonly type: string; readonly code: string };
  readonly #now: () => number;
  #day = Number.NaN;
  readonly #warned = new Set<string>();

  /** @param now - Returns the time in milliseconds since 1970. */
  constructor(kind: { readonly type: string; readonly code: string }, now: () => number = () => Date.now()) {
    this.#kind = kind;
    this.#now = now;
  }

  /** @param describe - Returns the text. Called only where the warning is emitted. */
  warn({ threadId, checkpointNs }: NamespaceKey, describe: () => string): void {
    if (this.#wasWarned(JSON.stringify([threadId, checkpointNs]))) return;
    const isLast = this.#warned.size === MAX_WARNINGS_A_DAY;
    process.emitWarning(isLast ? `${describe()}; no further warnings today` : describe(), this.#kind);
  }

  #wasWarned(place: string): boolean {
    const day = Math.floor(this.#now() / DAY_MS);
    if (day !== this.#day) this.#warned.clear();
    this.#day = day;
    if (this.#warned.size >= MAX_WARNINGS_A_DAY || this.#warned.has(place)) return true;
    this.#warned.add(place);
    return false;
  }
}
