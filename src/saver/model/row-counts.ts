/** The number of rows of each table that a call read, wrote or deleted, and their size. */
export interface RowCounts {
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
  /**
   * For deleted rows the size of headers, metadata, values and writes in the tables, where Postgres may have compressed them. For rows that
   * are written or read the size of the values in `writes` and `blobs` that the serializer produced.
   */
  readonly bytes: number;
}

/** The counts of no rows, to start a sum with. */
export const NO_ROWS: RowCounts = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };

/** How many rows these are, of all tables. */
export function numberOfRows({ checkpoints, writes, blobs }: Omit<RowCounts, "bytes">): number {
  return checkpoints + writes + blobs;
}

/** Adds two counts. */
export function addCounts(a: RowCounts, b: RowCounts): RowCounts {
  return {
    checkpoints: a.checkpoints + b.checkpoints,
    writes: a.writes + b.writes,
    blobs: a.blobs + b.blobs,
    bytes: a.bytes + b.bytes,
  };
}
