/**
 * Calls that run one after another, such as those on a thread. They are taken in the order in which they were added, and none while an
 * earlier one is under way.
 */
export class CallQueue<Item> {
  readonly key: string;
  readonly #items: Item[] = [];
  #isBusy = false;

  constructor(key: string) {
    this.key = key;
  }

  /** The first call, unless an earlier one is under way. */
  get next(): Item | undefined {
    return this.#isBusy ? undefined : this.#items[0];
  }

  /** The call after the first one. */
  get second(): Item | undefined {
    return this.#items[1];
  }

  /** Whether no call waits or is under way. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#items.length === 0;
  }

  /** How many calls wait. */
  get length(): number {
    return this.#items.length;
  }

  has(item: Item): boolean {
    return this.#items.includes(item);
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** Removes a call that was not taken, and returns whether it still was there. */
  remove(item: Item): boolean {
    const index = this.#items.indexOf(item);
    if (index >= 0) this.#items.splice(index, 1);
    return index >= 0;
  }

  /**
   * Takes calls from the front, unless earlier ones are under way. Those taken are then under way.
   *
   * @param fits - Called for one call after the other. Where it returns false, this one and the later ones stay.
   */
  take(fits: (item: Item) => boolean): Item[] {
    if (this.#isBusy) return [];
    const end = this.#items.findIndex((item) => !fits(item));
    const taken = this.#items.splice(0, end === -1 ? this.#items.length : end);
    this.#isBusy = taken.length > 0;
    return taken;
  }

  /** Takes the first call, unless an earlier one is under way. It is then under way. */
  takeNext(): Item | undefined {
    const { next } = this;
    if (next === undefined) return undefined;
    this.#items.shift();
    this.#isBusy = true;
    return next;
  }

  /** Ends the calls that were taken. Those in `again` are taken once more, before any other. */
  free(again: readonly Item[] = []): void {
    this.#isBusy = false;
    this.#items.unshift(...again);
  }
}
