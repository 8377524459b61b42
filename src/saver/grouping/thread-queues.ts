/** The place of a call among the calls on its thread. */
export interface Place {
  readonly threadId: string;
}

/** Places of a thread, in the order in which they were added. */
export interface TakenPlaces<Waiting> {
  readonly threadId: string;
  readonly places: readonly Waiting[];
}

/** Places of calls, by thread. Those of a thread are taken in the order in which they were added. */
export class ThreadQueues<Waiting extends Place> {
  readonly #queues = new Map<string, ThreadQueue<Waiting>>();

  add(place: Waiting): void {
    const queue = this.#queues.get(place.threadId);
    if (queue === undefined) this.#queues.set(place.threadId, { isBusy: false, waiting: [place] });
    else queue.waiting.push(place);
  }

  /** Removes a place, and returns whether it still was there. */
  remove(place: Waiting): boolean {
    const queue = this.#queues.get(place.threadId);
    const index = queue?.waiting.indexOf(place) ?? -1;
    if (index >= 0) queue?.waiting.splice(index, 1);
    this.#forgetIdle(place.threadId);
    return index >= 0;
  }

  /** Takes a place, and marks its thread as busy, unless an earlier call of the thread waits or is under way. */
  takeFirst(place: Waiting): boolean {
    const queue = this.#queues.get(place.threadId);
    if (queue === undefined || queue.isBusy || queue.waiting[0] !== place) return false;
    queue.waiting.shift();
    queue.isBusy = true;
    return true;
  }

  /**
   * Takes places of threads that are not busy, and marks these threads as busy.
   *
   * @param fits - Called for one place after the other. Where it returns false, this one and the later ones of its thread stay.
   * @returns The places by thread. No list is empty.
   */
  take(fits: (place: Waiting) => boolean): TakenPlaces<Waiting>[] {
    const taken: TakenPlaces<Waiting>[] = [];
    for (const [threadId, queue] of this.#queues) {
      if (queue.isBusy) continue;
      const end = queue.waiting.findIndex((place) => !fits(place));
      const places = queue.waiting.splice(0, end === -1 ? queue.waiting.length : end);
      if (places.length === 0) continue;
      queue.isBusy = true;
      taken.push({ threadId, places });
    }
    return taken;
  }

  /** Marks a thread as no longer busy. */
  free(threadId: string): void {
    const queue = this.#queues.get(threadId);
    if (queue !== undefined) queue.isBusy = false;
    this.#forgetIdle(threadId);
  }

  /** Returns the first place of a thread that is not busy. */
  next(threadId: string): Waiting | undefined {
    const queue = this.#queues.get(threadId);
    return queue?.isBusy === true ? undefined : queue?.waiting[0];
  }

  #forgetIdle(threadId: string): void {
    const queue = this.#queues.get(threadId);
    if (queue !== undefined && !queue.isBusy && queue.waiting.length === 0) this.#queues.delete(threadId);
  }
}

interface ThreadQueue<Waiting> {
  /** Whether some of its calls are under way. */
  isBusy: boolean;
  readonly waiting: Waiting[];
}
