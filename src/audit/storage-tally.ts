import { compareText } from "../saver/model/keys.js";
import type { ChannelStorage, StorageReport, StorageSize } from "./storage-types.js";
import type { StorageRow } from "./queries/measure-storage.js";

const FIELDS = {
  checkpoints: "checkpoints",
  headerBytes: "header_bytes",
  blobs: "blobs",
  blobBytes: "blob_bytes",
  uncompressedBytes: "uncompressed_bytes",
  splices: "splices",
  wholeBytes: "whole_bytes",
  writes: "writes",
  writeBytes: "write_bytes",
} as const satisfies Readonly<Record<keyof StorageSize, keyof StorageRow>>;

/** Adds up what statements measured. It keeps the largest threads, and every channel. */
export class StorageTally {
  readonly #limit: number;
  readonly #total = new Sums();
  readonly #channels = new Map<string, Sums>();
  #largest: StorageRow[] = [];
  #threads = 0;

  /** @param limit - The most threads and channels to list. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What was measured so far. */
  get measured(): StorageSize & { readonly threads: number } {
    return { threads: this.#threads, ...this.#total.sum };
  }

  /** Adds the rows of a statement. For an estimate these are the rows of one thread. */
  add(rows: readonly StorageRow[]): void {
    for (const row of rows) {
      if (row.part === "channel") {
        const sums = this.#channels.get(row.name) ?? new Sums();
        this.#channels.set(row.name, sums.add(row));
        continue;
      }
      this.#threads += 1;
      this.#total.add(row);
      this.#largest.push(row);
    }
    // Sorted rarely, so that a thread costs little.
    if (this.#largest.length > 2 * this.#limit + 1_000) this.#largest = this.#rankedThreads();
  }

  /** What all threads have. */
  report(): StorageReport {
    return this.#reportOf((sums) => sums.sum, this.#threads);
  }

  /**
   * What all threads have, by those that were drawn.
   *
   * @param drawn - How many were measured.
   * @param threads - How many there are.
   */
  estimate(drawn: number, threads: number): StorageReport {
    const estimated = (sums: Sums): StorageSize & { readonly standardError?: StorageSize } => {
      const standardError = sums.standardError(drawn, threads);
      return { ...sums.scaled(drawn, threads), ...(standardError && { standardError }) };
    };
    return { ...this.#reportOf(estimated, threads), sampledThreads: drawn };
  }

  #reportOf(
    sizeOf: (sums: Sums) => StorageSize & { readonly standardError?: StorageSize },
    threads: number,
  ): StorageReport {
    const channels = [...this.#channels].map(([channel, sums]) => ({ channel, ...sizeOf(sums) }));
    return {
      total: { threads, ...sizeOf(this.#total) },
      threads: this.#rankedThreads().map((row) => ({ threadId: row.name, ...sizeOfRow(row) })),
      channels: channels
        .sort((a, b) => bytesOf(b) - bytesOf(a) || compareText(a.channel, b.channel))
        .slice(0, this.#limit)
        .map(withoutHeaders),
    };
  }

  #rankedThreads(): StorageRow[] {
    const bytes = ({ header_bytes, blob_bytes, write_bytes }: StorageRow) =>
      header_bytes + blob_bytes + write_bytes;
    return this.#largest
      .sort((a, b) => bytes(b) - bytes(a) || compareText(a.name, b.name))
      .slice(0, this.#limit);
  }
}

/** The sums of some threads, and of their squares. */
class Sums {
  readonly sum = mapFields(() => 0);
  readonly #squares = mapFields(() => 0);

  add(row: StorageRow): this {
    const size = sizeOfRow(row);
    for (const field of fields) {
      this.sum[field] += size[field];
      this.#squares[field] += size[field] ** 2;
    }
    return this;
  }

  scaled(drawn: number, all: number): StorageSize {
    return mapFields((field) => (drawn === 0 ? 0 : Math.round((this.sum[field] * all) / drawn)));
  }

  /**
   * The standard error of {@link scaled}, of a sample that is drawn without replacement; a thread without such rows counts as zero.
   * `undefined` where one thread or none was drawn of several.
   */
  standardError(drawn: number, all: number): StorageSize | undefined {
    if (drawn === all) return mapFields(() => 0);
    if (drawn < 2) return undefined;
    return mapFields((field) => {
      const variance = (this.#squares[field] - this.sum[field] ** 2 / drawn) / (drawn - 1);
      return Math.round(all * Math.sqrt((Math.max(variance, 0) / drawn) * (1 - drawn / all)));
    });
  }
}

const fields = Object.keys(FIELDS) as (keyof StorageSize)[];

function mapFields(of: (field: keyof StorageSize) => number): Record<keyof StorageSize, number> {
  return {
    ...{ checkpoints: of("checkpoints"), headerBytes: of("headerBytes") },
    ...{ blobs: of("blobs"), blobBytes: of("blobBytes"), uncompressedBytes: of("uncompressedBytes") },
    ...{ splices: of("splices"), wholeBytes: of("wholeBytes") },
    ...{ writes: of("writes"), writeBytes: of("writeBytes") },
  };
}

function sizeOfRow(row: StorageRow): StorageSize {
  return mapFields((field) => row[FIELDS[field]]);
}

function bytesOf({ headerBytes, blobBytes, writeBytes }: StorageSize): number {
  return headerBytes + blobBytes + writeBytes;
}

/** Values in headers belong to no channel. */
function withoutHeaders(
  channel: StorageSize & { readonly channel: string; readonly standardError?: StorageSize },
): ChannelStorage {
  const { checkpoints: _, headerBytes: __, standardError, ...size } = channel;
  if (standardError === undefined) return size;
  const { checkpoints: _rows, headerBytes: _bytes, ...error } = standardError;
  return { ...size, standardError: error };
}
