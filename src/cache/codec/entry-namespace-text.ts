import type { TextRange } from "../model/entry.js";

/**
 * The text that precedes the namespaces of one cache, so that it never shares an entry with another one. The tenant comes first, as in the
 * ids of threads, because policies compare it.
 */
export function cacheScope(tenantId: string | undefined, keyPrefix: string | undefined): string {
  const tenant = tenantId === undefined ? "" : `${tenantId}:`;
  return keyPrefix === undefined ? tenant : `${tenant}${JSON.stringify(keyPrefix)}`;
}

/** The column `namespace` of an entry: JSON, in which no two lists of labels have the same text. */
export function entryNamespace(scope: string, namespace: readonly string[]): string {
  return `${scope}${JSON.stringify(namespace)}`;
}

/** The column `namespace` of the lease of an entry. It differs from the namespaces of entries, in which a bracket follows the scope. */
export function leaseText(scope: string, namespace: readonly string[]): string {
  return `${scope}lease${JSON.stringify(namespace)}`;
}

/** All namespaces of a scope. */
export function scopeRange(scope: string): TextRange {
  // "\" follows "[", with which the JSON of each namespace begins.
  return { from: `${scope}[`, beyond: `${scope}\\` };
}

/** All namespaces below one, which has at least one label. */
export function rangeBelow(scope: string, namespace: readonly string[]): TextRange {
  const labels = entryNamespace(scope, namespace).slice(0, -1);
  // "-" follows ",".
  return { from: `${labels},`, beyond: `${labels}-` };
}
