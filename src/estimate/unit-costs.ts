/** What one row takes at a size of its input. The row of a size between two points lies on the line between them. */
export interface RowPoint {
  /** The bytes of a value before compression, or the channels of a header. */
  readonly size: number;
  /** The bytes in the table itself, on pages as full as Postgres leaves them. */
  readonly heap: number;
  /** The bytes in the TOAST table and its index, where Postgres keeps what is too long for a page. */
  readonly toast: number;
  /** The bytes in the primary key, filled by many threads at once. */
  readonly index: number;
  /** The bytes in the write-ahead log, without images of pages. */
  readonly wal: number;
}

/** How well the values compress: `text` as prose does, `random` not at all, as encrypted values do. */
export type ValueContent = "text" | "random";

/** The milliseconds of a call: a fixed part, a part for each row, and a part for each 1,000 bytes of values. */
export interface CallCost {
  readonly fixedMs: number;
  readonly rowMs: number;
  readonly kilobyteMs: number;
}

/** What a call takes. */
export interface CallCosts {
  /** The statements that the client waits for, one after the other. */
  readonly roundTrips: number;
  /** Until the caller has the answer, on a connection of its own without network. */
  readonly elapsed: CallCost;
  /** The processor time of the server's process. */
  readonly serverCpu: CallCost;
}

/** The calls of a super-step. */
export type CallName = "put" | "putWrites" | "getTuple";

/** What the calls of a saver cost, as measured on a server. */
export interface UnitCosts {
  /** Rows of `checkpoints`, by the number of channels. */
  readonly headers: readonly RowPoint[];
  /** Rows of `checkpoint_blobs`, by the bytes of the value. */
  readonly values: Readonly<Record<ValueContent, readonly RowPoint[]>>;
  /** Rows of `checkpoint_writes`, by the bytes of the value. */
  readonly writes: Readonly<Record<ValueContent, readonly RowPoint[]>>;
  /**
   * Bytes in the write-ahead log for images of pages. Postgres logs a page as a whole when it is changed for the first time after
   * one of its own checkpoints. These are those of a call on a thread that nobody has written to since.
   */
  readonly pageImages: { readonly put: number; readonly putWrites: number };
  /** Bytes in the write-ahead log for each byte of rows that is deleted, with their indexes and TOAST. */
  readonly deletion: { readonly deleting: number; readonly vacuuming: number };
  readonly calls: Readonly<Record<CallName, CallCosts>>;
  /** Whether other work slowed down the machine, so that the times are too long. Everything else doesn't depend on that. */
  readonly timesAreProvisional: boolean;
}

/** What rows take: the figures of {@link RowPoint} without its size. */
export type RowCost = Omit<RowPoint, "size">;

const NOTHING: RowCost = { heap: 0, toast: 0, index: 0, wal: 0 };

/**
 * Returns what a row of a size takes, on the line between the measured points around it. Above the last point, what grows is the
 * TOAST and the log, in proportion.
 *
 * @param points - In order of their sizes.
 */
export function costAt(points: readonly RowPoint[], size: number): RowCost {
  const above = points.find((point) => point.size >= size);
  const below = points.findLast((point) => point.size <= size);
  if (below === undefined) return above ?? NOTHING;
  if (above === undefined) {
    const ratio = size / below.size;
    return { ...below, toast: below.toast * ratio, wal: below.wal * ratio };
  }
  const share = above === below ? 0 : (size - below.size) / (above.size - below.size);
  const between = (figure: keyof RowCost) => below[figure] + share * (above[figure] - below[figure]);
  return { heap: between("heap"), toast: between("toast"), index: between("index"), wal: between("wal") };
}

/** Adds up what rows take. */
export function sumCosts(costs: readonly RowCost[]): RowCost {
  return costs.reduce(
    (sum, { heap, toast, index, wal }) => ({
      heap: sum.heap + heap,
      toast: sum.toast + toast,
      index: sum.index + index,
      wal: sum.wal + wal,
    }),
    NOTHING,
  );
}

/** Multiplies what a row takes. */
export function multiplyCost({ heap, toast, index, wal }: RowCost, count: number): RowCost {
  return { heap: heap * count, toast: toast * count, index: index * count, wal: wal * count };
}

/** The bytes on disk. */
export function diskBytes({ heap, toast, index }: RowCost): number {
  return heap + toast + index;
}
