/** Orders text as Postgres does under the collation "C": by the bytes of its UTF-8. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
