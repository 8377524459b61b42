import { cacheScope } from "../../cache/entry-place.js";
import { MAX_KEY_BYTES } from "../../parsing/keys.js";
import { parseIfJson } from "../values/readable-json.js";
import type { CachePrefix } from "../api/cache.js";

/** The namespace of an entry, as far as its text tells. */
interface ParsedNamespace extends CachePrefix {
  /** Absent where the text is not one that this library writes. */
  readonly labels?: readonly string[];
  /** Whether it is the namespace of leases, which last while a result is computed. */
  readonly isOfLeases: boolean;
}

/** A prefix as a JSON string where there is one, the word of leases, and the labels as a JSON array. */
const TEXT = /^("(?:[^"\\]|\\.)*")?(lease)?(\[.*\])$/s;

/**
 * Parses the column `namespace` of an entry.
 *
 * @param tenantId - The tenant of the saver. Without one, the text may begin with any tenant, up to a colon.
 */
export function parseNamespaceText(text: string, tenantId: string | undefined): ParsedNamespace {
  // The library writes none that is longer, and each colon of the text may end the name of a tenant.
  if (text.length > MAX_KEY_BYTES) return UNKNOWN;
  if (tenantId !== undefined) {
    const start = `${tenantId}:`;
    return (text.startsWith(start) ? parseScoped(text.slice(start.length)) : undefined) ?? UNKNOWN;
  }
  const plain = parseScoped(text);
  if (plain !== undefined) return plain;
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", colon + 1)) {
    const parsed = parseScoped(text.slice(colon + 1));
    if (parsed !== undefined) return { ...parsed, tenantId: text.slice(0, colon) };
  }
  return UNKNOWN;
}

const UNKNOWN: ParsedNamespace = { isOfLeases: false };

function parseScoped(text: string): ParsedNamespace | undefined {
  const [, prefix, lease, list = ""] = TEXT.exec(text) ?? [];
  const labels = parseIfJson(list);
  const keyPrefix = prefix === undefined ? undefined : parseIfJson(prefix);
  if (!Array.isArray(labels) || !labels.every((label) => typeof label === "string")) return undefined;
  if (prefix !== undefined && typeof keyPrefix !== "string") return undefined;
  return { labels, ...(typeof keyPrefix === "string" && { keyPrefix }), isOfLeases: lease !== undefined };
}

/** What precedes the labels in the text of a namespace. Encryption binds values to it. */
export function scopeOfText(text: string, tenantId: string | undefined): string {
  const { tenantId: found, keyPrefix } = parseNamespaceText(text, tenantId);
  return cacheScope(tenantId ?? found, keyPrefix);
}
