import { holdTurn } from "../db/grouping/take-turn.js";
import { type TurnScope, type Place, TurnQueues } from "../db/grouping/turn-queues.js";
import {
  parsePlace,
  parseEntryNamespace,
  parseNamespaces,
  entryNamespace,
  rangeBelow,
  scopeRange,
  entryId,
} from "./entry-place.js";
import type { CacheCall } from "./cache-call.js";
import type { GivenEntry } from "./entry-values.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { clearEntries } from "./queries/entries.js";

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

/** A deletion of entries. */
export interface Clearing {
  readonly statement: BoundStatement<unknown>;
  /** The entries that it deletes, by their ids. */
  readonly scope: TurnScope;
}

/** Binds the deletion of the entries of namespaces; without namespaces, of all entries of the cache. */
export function bindClear({ schema, settings: { scope } }: CacheCall, namespaces: unknown): Clearing {
  const texts = parseNamespaces(namespaces).map((namespace) => entryNamespace(scope, namespace));
  if (texts.length === 0) return everything(schema, scope);
  return {
    statement: clearEntries(schema, texts),
    scope: startingWith(texts.map((text) => entryId(text, ""))),
  };
}

/** Binds the deletion of the entries of a namespace and of those below it. */
export function bindClearPrefix({ schema, settings: { scope } }: CacheCall, namespace: unknown): Clearing {
  const labels = parseEntryNamespace(namespace);
  if (labels.length === 0) return everything(schema, scope);
  const [text, below] = [entryNamespace(scope, labels), rangeBelow(scope, labels)];
  return {
    statement: clearEntries(schema, [text], below),
    scope: startingWith([entryId(text, ""), below.from]),
  };
}

function everything(schema: string, scope: string): Clearing {
  return { statement: clearEntries(schema, [], scopeRange(scope)), scope: { covers: () => true } };
}

function startingWith(starts: readonly string[]): TurnScope {
  return { covers: (id) => starts.some((start) => id.startsWith(start)) };
}
