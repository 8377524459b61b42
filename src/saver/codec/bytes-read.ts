import type { TupleRow } from "../queries/tuple-row.js";

/** Estimates the bytes of headers and values in rows, without decoding them. */
export function bytesRead(rows: readonly TupleRow[]): number {
  return rows.reduce((sum, row) => sum + bytesOf(row), 0);
}

function bytesOf(row: TupleRow): number {
  if (row.part === "checkpoint") return (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0);
  // Base64 takes four characters for three bytes.
  return Math.floor(((row.blob?.length ?? 0) * 3) / 4);
}
