import { bytewise } from "./matches.js";

/** An item's place, as the table has it. */
export interface Place {
  readonly prefix: string;
  readonly key: string;
}

/** A row of the table, with times in minutes that remain. */
export interface Row extends Place {
  readonly n: number;
  readonly version: number;
  readonly ttl: number | null;
  /** Negative where the row has expired, and is not swept yet. */
  readonly left: number | null;
  /** The writes that created and updated the item: one has the same time in the table wherever it occurs. */
  readonly created: number;
  readonly updated: number;
}

/** The rows of a store in memory: what lives, what has expired and still takes a row, and which rows each call changes. */
export class Lifetimes {
  #rows = new Map<string, Row>();
  #writes = 0;

  get rows(): Row[] {
    return [...this.#rows.values()].sort(
      (one, other) => bytewise(one.prefix, other.prefix) || bytewise(one.key, other.key),
    );
  }

  /** The items that calls can find. */
  alive(isWanted: (row: Row) => boolean = () => true): Row[] {
    return this.rows.filter((row) => (row.left ?? 1) > 0 && isWanted(row));
  }

  /** The version that a write has to expect. */
  versionOf(place: Place): number {
    return this.alive((row) => isAt(row, place))[0]?.version ?? 0;
  }

  /** A version that a write expects, which may be that of an item that has expired. */
  expected(place: Place, version: "current" | "stored" | "newer" | "older"): number {
    if (version === "stored") return this.#rows.get(idOf(place))?.version ?? 0;
    const current = this.versionOf(place);
    if (version === "newer") return current + 1;
    return version === "older" ? Math.max(0, current - 1) : current;
  }

  get(place: Place): Row | undefined {
    return this.alive((row) => isAt(row, place))[0];
  }

  put(place: Place, n: number, ttl: number | null): void {
    this.#writes += 1;
    const updated = this.#writes;
    const version = (this.#rows.get(idOf(place))?.version ?? 0) + 1;
    const created = this.get(place)?.created ?? updated;
    this.#rows.set(idOf(place), { ...place, n, ttl, left: ttl, version, created, updated });
  }

  delete(isWanted: (row: Row) => boolean): number {
    const wanted = this.rows.filter(isWanted);
    for (const row of wanted) this.#rows.delete(idOf(row));
    return wanted.length;
  }

  sweep(): number {
    return this.delete(({ left }) => left !== null && left <= 0);
  }

  elapse(minutes: number): void {
    this.#change(this.rows, ({ left }) => ({ left: left === null ? null : left - minutes }));
  }

  /** Starts the times of items again. */
  refresh(rows: readonly Row[]): void {
    this.#change(rows, ({ ttl }) => ({ left: ttl }));
  }

  /** Takes the rows of a backup. Returns the report, or the first stored item that differs. */
  restore(
    backup: readonly Row[],
  ): { readonly items: number; readonly skipped: number; readonly expired: number } | "differs" {
    const given = backup.filter(({ left }) => (left ?? 1) > 0);
    const isStored = (row: Row): boolean => this.get(row) !== undefined;
    const differs = given.some((row) => {
      const stored = this.get(row);
      return stored !== undefined && contentOf(stored) !== contentOf(row);
    });
    if (differs) return "differs";
    const missing = given.filter((row) => !isStored(row));
    this.delete((row) => row.left !== null && row.left <= 0 && backup.some((each) => isAt(each, row)));
    for (const row of missing) this.#rows.set(idOf(row), row);
    return {
      ...{ items: missing.length, skipped: given.length - missing.length },
      expired: backup.length - given.length,
    };
  }

  #change(rows: readonly Row[], changed: (row: Row) => Partial<Row>): void {
    for (const row of rows) this.#rows.set(idOf(row), { ...row, ...changed(row) });
  }
}

/** Whether a row is in a namespace or below it; an empty one is everything. */
export function isWithin({ prefix }: Place, scope: string): boolean {
  return scope === "" || prefix === scope || prefix.startsWith(`${scope}.`);
}

export function isAt(row: Place, place: Place): boolean {
  return row.prefix === place.prefix && row.key === place.key;
}

function idOf({ prefix, key }: Place): string {
  return JSON.stringify([prefix, key]);
}

/** What an import compares: not when an item expires, since reads change that. */
function contentOf({ n, version, created, updated }: Row): string {
  return JSON.stringify([n, version, created, updated]);
}
