import type { TurnScope } from "../db/grouping/turn-queues.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { parseEntryNamespace, parseNamespaces } from "./boundary/parse-entries.js";
import type { CacheCall } from "./cache-call.js";
import { entryNamespace, rangeBelow, scopeRange } from "./codec/entry-namespace-text.js";
import { entryId } from "./entry-order.js";
import { clearEntries } from "./queries/clear-entries.js";

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
