/** How many rows of each table a call read, wrote or removed, and how much they hold. */
export interface RowCounts {
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  /**
   * Of the values in `writes` and `blobs`. What goes is measured as it takes room in its table, compressed where Postgres has
   * done so; what is written or read, as the serializer wrote it.
   */
  readonly bytes: number;
}

/** No rows at all, for a sum to begin with. */
export const NO_ROWS: RowCounts = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };

/** The rows of both. */
export function addCounts(a: RowCounts, b: RowCounts): RowCounts {
  return {
    checkpoints: a.checkpoints + b.checkpoints,
    writes: a.writes + b.writes,
    blobs: a.blobs + b.blobs,
    bytes: a.bytes + b.bytes,
  };
}
