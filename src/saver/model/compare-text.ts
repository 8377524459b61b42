/** Compares text by its UTF-8 bytes, as Postgres does under the collation "C". */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
