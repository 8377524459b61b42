import type { TupleRow } from "../queries/tuple-row.js";

/** How many bytes of headers and values rows brought, as near as it can be told without decoding them. */
export function bytesRead(rows: readonly TupleRow[]): number {
  return rows.reduce((sum, row) => sum + bytesOf(row), 0);
}

function bytesOf({ part, blob, content, kind }: TupleRow): number {
  if (part === "checkpoint") return (content?.length ?? 0) + (kind?.length ?? 0);
  // Four characters of base64 for every three bytes.
  return Math.floor(((blob?.length ?? 0) * 3) / 4);
}
