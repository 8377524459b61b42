/** Joins the parts of a key to one text. No part contains U+0000, so two different keys never give the same text. */
export function rowKey(...parts: string[]): string {
  return parts.join("\0");
}
