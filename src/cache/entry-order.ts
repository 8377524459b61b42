import { holdTurn } from "../db/grouping/take-turn.js";
import { type TurnScope, type Place, TurnQueues } from "../db/grouping/turn-queues.js";
import { parsePlace } from "./boundary/parse-entries.js";
import type { CacheCall } from "./cache-call.js";
import type { GivenEntry } from "./write-entries.js";

/** The order of the calls of a cache about each entry: LangGraph awaits no `set`. */
export class EntryOrder {
  readonly #queues = new TurnQueues<object>((queues) => {
    for (const queue of queues) this.#queues.next(queue);
  });

  /** Gives a `set` its place. It must then leave. */
  placeOf({ settings }: CacheCall, pairs: readonly GivenEntry[]): Place {
    const keys = pairs.flatMap(({ key }) => {
      try {
        const place = parsePlace(settings.scope, key);
        return [entryId(place.namespace, place.key)];
      } catch {
        // The call will refuse the entry.
        return [];
      }
    });
    return this.#queues.hold({ keys });
  }

  /** Runs a deletion when the calls before it have ended. Later ones about its entries wait for it. */
  clear<T>(call: CacheCall, scope: TurnScope, run: () => Promise<T>): Promise<T> {
    return holdTurn(call, this.#queues, scope, run);
  }
}

/** Returns a text that is the same for the same entry only: JSON has no U+0000. */
export function entryId(namespace: string, key: string): string {
  return `${namespace}\0${key}`;
}
