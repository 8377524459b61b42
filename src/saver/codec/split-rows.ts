import type { BlobRow, CheckpointRows, HeaderRow, WriteRow } from "../queries/checkpoint-rows.js";

/**
 * Splits rows into portions of at most `maxBytes`. A longer value is a portion of its own. The portions go table by table, so that
 * concurrent writers take their locks in one order.
 *
 * @param maxBytes - `statementBytesOf` of the call.
 */
export function splitRows(
  { checkpoints, writes, blobs }: CheckpointRows,
  maxBytes: number,
): CheckpointRows[] {
  const splitter = new Splitter(maxBytes);
  for (const row of checkpoints) splitter.add(row, (rows) => rows.checkpoints);
  for (const row of writes) splitter.add(row, (rows) => rows.writes);
  for (const row of blobs) splitter.add(row, (rows) => rows.blobs);
  return splitter.end();
}

interface OpenRows {
  readonly checkpoints: HeaderRow[];
  readonly writes: WriteRow[];
  readonly blobs: BlobRow[];
}

class Splitter {
  readonly #maxBytes: number;
  readonly #portions: CheckpointRows[] = [];
  #rows: OpenRows = newRows();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add<Row extends object>(row: Row, listIn: (rows: OpenRows) => Row[]): void {
    const bytes = bytesOf(row);
    if (this.#bytes + bytes > this.#maxBytes) this.#endRows();
    listIn(this.#rows).push(row);
    this.#bytes += bytes;
  }

  end(): CheckpointRows[] {
    this.#endRows();
    return this.#portions;
  }

  #endRows(): void {
    if (this.#bytes > 0) this.#portions.push(this.#rows);
    this.#rows = newRows();
    this.#bytes = 0;
  }
}

function newRows(): OpenRows {
  return { checkpoints: [], writes: [], blobs: [] };
}

/** Includes the keys, which are most of the size of many small rows. For text beyond ASCII it is an estimate. */
function bytesOf(row: object): number {
  const values: unknown[] = Object.values(row);
  return values.reduce<number>((sum, value) => sum + lengthOf(value), 0);
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value instanceof Uint8Array ? value.byteLength : 0;
}
