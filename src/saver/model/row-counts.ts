/** The number of rows of each table that a call read, wrote or deleted, and their size. */
export interface RowCounts {
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  /**
   * The size of the values in `writes` and `blobs`. For deleted rows it is the size in the table, where Postgres may have
   * compressed the values. For rows that are written or read it is the size that the serializer produced.
   */
  readonly bytes: number;
}

/** The counts of no rows, to start a sum with. */
export const NO_ROWS: RowCounts = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };

/** Adds two counts. */
export function addCounts(a: RowCounts, b: RowCounts): RowCounts {
  return {
    checkpoints: a.checkpoints + b.checkpoints,
    writes: a.writes + b.writes,
    blobs: a.blobs + b.blobs,
    bytes: a.bytes + b.bytes,
  };
}
