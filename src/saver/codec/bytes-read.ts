import type { TupleRow } from "../queries/tuple-row.js";

/** Estimates the bytes of headers and values in rows, without decoding them. */
export function bytesRead(rows: readonly TupleRow[]): number {
  return rows.reduce((sum, row) => sum + bytesOf(row), 0);
}

function bytesOf({ part, blob, content, kind }: TupleRow): number {
  if (part === "checkpoint") return (content?.length ?? 0) + (kind?.length ?? 0);
  // Base64 takes four characters for three bytes.
  return Math.floor(((blob?.length ?? 0) * 3) / 4);
}
