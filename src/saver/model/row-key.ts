/** A key of several parts as one text. No part holds U+0000, so that no two keys can run together. */
export function rowKey(...parts: string[]): string {
  return parts.join("\0");
}
