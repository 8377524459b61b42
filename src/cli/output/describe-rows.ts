import type { RowCounts } from "../../saver/model/row-counts.js";
import { counted, humanBytes } from "./format-numbers.js";

/** Rows for people: `2 checkpoints, 3 values and 1 write (1.2 kB)`. */
export function describeCounts({ checkpoints, writes, blobs, bytes }: RowCounts): string {
  return (
    `${counted(checkpoints, "checkpoint")}, ${counted(blobs, "value")} and ${counted(writes, "write")} ` +
    `(${humanBytes(bytes)})`
  );
}

/** Whether there are any. */
export function hasRows({ checkpoints, writes, blobs }: RowCounts): boolean {
  return checkpoints + writes + blobs > 0;
}
