import type { RowPoint, UnitCosts, ValueContent } from "../../src/estimate/unit-costs.js";
import type { BenchServer } from "../bench-server.js";
import type { Size } from "../scenarios/scenario.js";
import { inDatabase } from "./in-database.js";
import { inRandomOrder } from "./in-random-order.js";
import { SyntheticThread } from "./synthetic-thread.js";
import { type TableName, tableSizes, walPosition } from "./table-sizes.js";
import { valueOf } from "./values.js";

const CHANNELS = [3, 6, 9, 12, 15, 18, 24, 48, 96];
const VALUE_BYTES = [
  ...[0, 100, 500, 1_000, 1_500, 1_750, 2_000, 3_000, 4_000, 6_000, 8_000, 16_000],
  ...[64_000, 256_000, 1_000_000],
];
/** Above it a row has only a pointer in the table, so the row itself stays the same, and fewer rows are enough. */
const LARGEST_COUNTED = 16_000;
const THREADS = 200;
const STEPS = 20;
const WRITES_PER_CALL = 5;
/** The bytes of the values that one point stores at most. */
const MAX_BYTES = 64_000_000;
/** The channels of the headers beside measured values. One of {@link CHANNELS}. */
const CHANNELS_OF_VALUES = 6;

/** Rows, bytes and log of one point. */
interface Stored {
  readonly rows: number;
  readonly heap: number;
  readonly toast: number;
  readonly index: number;
  readonly wal: number;
}

/** Measures what rows of each table take, by the size of what is in them. */
export async function measureRows(
  server: BenchServer,
  size: Size,
): Promise<Pick<UnitCosts, "headers" | "values" | "writes">> {
  const headers: RowPoint[] = [];
  for (const channels of size.quick ? CHANNELS.slice(0, 2) : CHANNELS) {
    headers.push(pointOf(channels, await storeRows(server, size, headerStorer(channels))));
  }
  const header = headers.find(({ size: channels }) => channels === CHANNELS_OF_VALUES)?.wal ?? 0;
  const values = await bothContents((content) =>
    curve(size, (bytes) => storeRows(server, size, valueStorer(content, bytes, header))),
  );
  const writes = await bothContents((content) =>
    curve(size, (bytes) => storeRows(server, size, writeStorer(content, bytes))),
  );
  return { headers, values, writes };
}

async function bothContents(
  measure: (content: ValueContent) => Promise<RowPoint[]>,
): Promise<Record<ValueContent, RowPoint[]>> {
  return { text: await measure("text"), random: await measure("random") };
}

async function curve({ quick }: Size, store: (bytes: number) => Promise<Stored>): Promise<RowPoint[]> {
  const points: RowPoint[] = [];
  for (const bytes of quick ? VALUE_BYTES.slice(0, 2) : VALUE_BYTES) {
    const point = pointOf(bytes, await store(bytes));
    const last = points.at(-1);
    points.push(
      bytes > LARGEST_COUNTED && last !== undefined
        ? { ...point, heap: last.heap, index: last.index }
        : point,
    );
  }
  return points;
}

function pointOf(size: number, { rows, heap, toast, index, wal }: Stored): RowPoint {
  const each = (bytes: number) => Math.round(bytes / rows);
  return { size, heap: each(heap), toast: each(toast), index: each(index), wal: each(wal) };
}

/** What stores the rows of a point. */
interface RowStorer {
  readonly table: TableName;
  readonly channels: number;
  readonly valueBytes: number;
  /** The bytes in the log that are not of these rows, for each call. */
  readonly otherWal: number;
  readonly rowsPerCall: number;
  readonly store: (thread: SyntheticThread, seed: number) => Promise<void>;
}

function headerStorer(channels: number): RowStorer {
  return {
    ...{ table: "checkpoints", channels, valueBytes: 0, otherWal: 0, rowsPerCall: 1 },
    store: (thread) => thread.put({ values: {}, triggers: false }),
  };
}

function valueStorer(content: ValueContent, bytes: number, header: number): RowStorer {
  return {
    ...{ table: "checkpoint_blobs", channels: CHANNELS_OF_VALUES, valueBytes: bytes },
    ...{ otherWal: header, rowsPerCall: 1 },
    // A row without a value is that of an emptied trigger.
    store: (thread, seed) =>
      thread.put(
        bytes === 0
          ? { values: {}, triggers: true }
          : { values: { channel_0: valueOf(content, bytes, seed) }, triggers: false },
      ),
  };
}

function writeStorer(content: ValueContent, bytes: number): RowStorer {
  return {
    ...{ table: "checkpoint_writes", channels: CHANNELS_OF_VALUES, valueBytes: bytes * WRITES_PER_CALL },
    ...{ otherWal: 0, rowsPerCall: WRITES_PER_CALL },
    store: (thread, seed) =>
      thread.putWrites(
        Array.from({ length: WRITES_PER_CALL }, (_, index) => [
          `channel_${index}`,
          bytes === 0 ? null : valueOf(content, bytes, seed * WRITES_PER_CALL + index),
        ]),
      ),
  };
}

/** Stores rows of many threads in random order, in an empty database. */
async function storeRows(server: BenchServer, { quick }: Size, storer: RowStorer): Promise<Stored> {
  return inDatabase(server, async (saver, database) => {
    const calls = Math.min(
      quick ? 40 : (THREADS * STEPS) / storer.rowsPerCall,
      Math.max(20, Math.floor(MAX_BYTES / Math.max(1, storer.valueBytes))),
    );
    const threads = Array.from(
      { length: Math.min(THREADS, calls) },
      () => new SyntheticThread(saver, storer.channels),
    );
    const before = await walPosition(database);
    await inRandomOrder(threads, Math.ceil(calls / threads.length), storer.store);
    const wal = (await walPosition(database)) - before;
    await database.exec("vacuum analyze");
    const size = (await tableSizes(database))[storer.table];
    return { ...size, wal: wal - (storer.otherWal * size.rows) / storer.rowsPerCall };
  });
}
