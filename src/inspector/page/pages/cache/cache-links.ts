import type { CacheEntryPlace, CachePrefix } from "../../../api/cache.js";
import { linkTo, type RouteParams } from "../../routes/route.js";

/** Returns the link to the entries of a namespace. */
export function linkToNamespace(namespace: string): string {
  return linkTo("cache", [namespace]);
}

/** Returns the link to an entry. */
export function linkToEntry({ namespace, key }: CacheEntryPlace, params: RouteParams = {}): string {
  return linkTo("cache", [namespace, key], params);
}

/** What a page calls a namespace. */
export function namespaceTitle(namespace: string, labels: readonly string[] | undefined): string {
  if (labels === undefined) return namespace;
  return labels.length === 0 ? "(no labels)" : labels.join(" / ");
}

/** What a page calls the caches with a prefix. */
export function prefixTitle({ tenantId, keyPrefix }: CachePrefix): string {
  const prefix = keyPrefix === undefined ? "Without a prefix" : `Prefix ${keyPrefix}`;
  return tenantId === undefined ? prefix : `${prefix}, tenant ${tenantId}`;
}
