import type { BoundStatement } from "../db/statements/statement.js";
import { parseNamespace, parseNamespaces } from "./boundary/parse-entries.js";
import type { CacheCall } from "./cache-call.js";
import { namespaceText, rangeBelow, scopeRange } from "./codec/entry-namespace-text.js";
import { clearEntries } from "./queries/clear-entries.js";

/** Binds the deletion of the entries of namespaces; without namespaces, of all entries of the cache. */
export function bindClear(
  { schema, settings: { scope } }: CacheCall,
  namespaces: unknown,
): BoundStatement<unknown> {
  const texts = parseNamespaces(namespaces).map((namespace) => namespaceText(scope, namespace));
  return clearEntries(schema, texts, texts.length === 0 ? scopeRange(scope) : undefined);
}

/** Binds the deletion of the entries of a namespace and of those below it. */
export function bindClearPrefix(
  { schema, settings: { scope } }: CacheCall,
  namespace: unknown,
): BoundStatement<unknown> {
  const labels = parseNamespace(namespace);
  if (labels.length === 0) return clearEntries(schema, [], scopeRange(scope));
  return clearEntries(schema, [namespaceText(scope, labels)], rangeBelow(scope, labels));
}
