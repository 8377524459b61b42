import type { StaleReadOptions } from "../parsing/parse-call-options.js";

/** The query of `storage`. */
export interface StorageQuery extends StaleReadOptions {
  /** The thread to measure. Default: the whole database. */
  readonly threadId?: string | undefined;
  /**
   * Only this checkpoint of {@link threadId}: its header, the values that it references, and the writes that are recorded beside it. Default: all.
   */
  readonly checkpointId?: string | undefined;
  /** The namespace of {@link checkpointId}. Default: `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
  /** How many of the largest threads and channels to list. Default: 20. */
  readonly limit?: number | undefined;
  /**
   * Measures this share of all threads, from above 0 to 1, drawn at random in each call, and estimates the rest by it. Threads that hold much
   * of the database make the error large, and are mostly not drawn. Not with {@link threadId}. Default: 1, which is exact.
   */
  readonly sample?: number | undefined;
  /** Called after every page of threads, and after each thread of a {@link sample}. Never with {@link threadId}. */
  readonly onProgress?: ((progress: StorageProgress) => void) | undefined;
}

/** The progress of `storage`. */
export interface StorageProgress {
  /** The number of threads measured so far. */
  readonly threads: number;
  /** The number of their checkpoints. */
  readonly checkpoints: number;
  /** The number of their values. */
  readonly blobs: number;
  /** The number of their writes. */
  readonly writes: number;
  /** About how many checkpoints, values and writes there are, by the statistics of the server. Absent where it has none. */
  readonly expected?: number;
}

/** The number of rows and their size. */
export interface StorageSize {
  readonly checkpoints: number;
  /** The stored size of headers and metadata: JSONB, which Postgres compresses when it is long. */
  readonly headerBytes: number;
  readonly blobs: number;
  /** The stored size of the checkpoints' values, after Postgres' compression. */
  readonly blobBytes: number;
  /** The length of the checkpoints' values as they are stored, before Postgres' compression. */
  readonly uncompressedBytes: number;
  /** How many of the checkpoints' values are stored as splices of earlier ones. */
  readonly splices: number;
  /**
   * What the checkpoints' values would take if none was stored as a splice: the total length of the whole values, before Postgres'
   * compression: compare it with {@link uncompressedBytes}. A splice counts with its length before the compression and the encryption of
   * the serializer.
   */
  readonly wholeBytes: number;
  readonly writes: number;
  /** The stored size of the writes' values, after Postgres' compression. */
  readonly writeBytes: number;
}

/** The storage of a thread. */
export interface ThreadStorage extends StorageSize {
  readonly threadId: string;
}

/** The storage of a channel over all checkpoints. */
export interface ChannelStorage extends Omit<StorageSize, "checkpoints" | "headerBytes"> {
  readonly channel: string;
  /** The standard errors of an estimate, as those of the total. */
  readonly standardError?: Omit<StorageSize, "checkpoints" | "headerBytes">;
}

/** The result of `storage`. */
export interface StorageReport {
  readonly total: StorageSize & {
    /** The number of threads. It is counted, also with `sample`. */
    readonly threads: number;
    /**
     * With `sample` the standard errors of the estimates: two thirds of all samples come as close to the truth, and 95 % twice as close, where
     * no thread holds much of the database. Absent where fewer than two threads were drawn.
     */
    readonly standardError?: StorageSize;
  };
  /** The largest threads, the largest first; with `sample`, of those that were drawn. */
  readonly threads: readonly ThreadStorage[];
  /** The largest channels, the largest first. Values in headers don't count. */
  readonly channels: readonly ChannelStorage[];
  /** How many threads were drawn. Absent without `sample`. */
  readonly sampledThreads?: number;
}
