import type { BlobRow, CheckpointRows, HeaderRow, WriteRow } from "../queries/checkpoint-rows.js";

/** The content of one statement: one long value, or any number of rows. */
export type Portion =
  | { readonly kind: "longWrite"; readonly row: WriteRow }
  | { readonly kind: "longBlob"; readonly row: BlobRow }
  | ({ readonly kind: "rows" } & CheckpointRows);

/**
 * Splits rows into portions of at most `maxBytes`. The portions go table by table, as within one statement, so that
 * concurrent writers take their locks in one order.
 *
 * @param maxBytes - `statementBytesOf` of the call.
 */
export function splitRows({ checkpoints, writes, blobs }: CheckpointRows, maxBytes: number): Portion[] {
  const splitter = new Splitter(maxBytes);
  for (const row of checkpoints) splitter.add(row, (rows) => rows.checkpoints);
  for (const row of writes) splitter.add(row, (rows) => rows.writes, { kind: "longWrite", row });
  for (const row of blobs) splitter.add(row, (rows) => rows.blobs, { kind: "longBlob", row });
  return splitter.end();
}

interface OpenRows {
  readonly checkpoints: HeaderRow[];
  readonly writes: WriteRow[];
  readonly blobs: BlobRow[];
}

class Splitter {
  readonly #maxBytes: number;
  readonly #portions: Portion[] = [];
  #rows: OpenRows = newRows();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @param alone - Creates the portion of a row that is too long to share one. */
  add<Row extends object>(row: Row, listIn: (rows: OpenRows) => Row[], alone?: Portion): void {
    const bytes = bytesOf(row);
    if (this.#bytes + bytes > this.#maxBytes) this.#endRows();
    if (bytes > this.#maxBytes && alone !== undefined) {
      this.#portions.push(alone);
      return;
    }
    listIn(this.#rows).push(row);
    this.#bytes += bytes;
  }

  end(): Portion[] {
    this.#endRows();
    return this.#portions;
  }

  #endRows(): void {
    if (this.#bytes > 0) this.#portions.push({ kind: "rows", ...this.#rows });
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
