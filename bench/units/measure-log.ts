import type { UnitCosts } from "../../src/estimate/unit-costs.js";
import type { BenchDatabase, BenchServer } from "../bench-server.js";
import type { Size } from "../scenarios/scenario.js";
import type { Saver } from "../subjects.js";
import { inDatabase } from "./in-database.js";
import { inRandomOrder } from "./in-random-order.js";
import { SyntheticThread } from "./synthetic-thread.js";
import { tableSizes, walPosition } from "./table-sizes.js";
import { valueOf } from "./values.js";

const CHANNELS = 6;
const VALUE_BYTES = 1_000;
const STEPS = 5;
/** Enough that the measured threads share no page of an index. */
const THREADS = { quick: 30, full: 20_000 };
const MEASURED = { quick: 3, full: 200 };

/** Measures what the write-ahead log takes beside the rows: images of pages, and deletions. */
export async function measureLog(
  server: BenchServer,
  size: Size,
): Promise<Pick<UnitCosts, "pageImages" | "deletion">> {
  const kind = size.quick ? "quick" : "full";
  return inDatabase(server, async (saver, database) => {
    const threads = Array.from({ length: THREADS[kind] }, () => new SyntheticThread(saver, CHANNELS));
    await inRandomOrder(threads, STEPS, async (thread, call) => {
      await thread.putWrites(writesOf(call));
      await thread.put(changesOf(call));
    });
    await database.exec("vacuum analyze");
    const pageImages = await measurePageImages(database, spread(threads, MEASURED[kind]));
    return { pageImages, deletion: await measureDeletion(saver, database, threads) };
  });
}

/** The log of calls on threads that nobody has written to since Postgres's checkpoint, less that of the same calls again. */
async function measurePageImages(
  database: BenchDatabase,
  threads: readonly SyntheticThread[],
): Promise<UnitCosts["pageImages"]> {
  await database.exec("checkpoint");
  const cold = await logOfSteps(database, threads);
  const warm = await logOfSteps(database, threads);
  return {
    put: Math.round((cold.put - warm.put) / threads.length),
    putWrites: Math.round((cold.putWrites - warm.putWrites) / threads.length),
  };
}

async function logOfSteps(database: BenchDatabase, threads: readonly SyntheticThread[]) {
  let [put, putWrites] = [0, 0];
  for (const [call, thread] of threads.entries()) {
    const start = await walPosition(database);
    await thread.putWrites(writesOf(call));
    const between = await walPosition(database);
    await thread.put(changesOf(call));
    putWrites += between - start;
    put += (await walPosition(database)) - between;
  }
  return { put, putWrites };
}

/** The log of deleting all threads, and of the vacuum after it, each after a checkpoint of Postgres. */
async function measureDeletion(
  saver: Saver,
  database: BenchDatabase,
  threads: readonly SyntheticThread[],
): Promise<UnitCosts["deletion"]> {
  const sizes = Object.values(await tableSizes(database));
  const bytes = sizes.reduce((sum, { heap, toast, index }) => sum + heap + toast + index, 0);
  const logOf = async (work: () => Promise<void>) => {
    await database.exec("checkpoint");
    const before = await walPosition(database);
    await work();
    return (await walPosition(database)) - before;
  };
  const deleting = await logOf(() => inRandomOrder(threads, 1, ({ id }) => saver.deleteThread(id)));
  const vacuuming = await logOf(() => database.exec("vacuum"));
  const ratio = (wal: number) => Math.round((wal / bytes) * 100) / 100;
  return { deleting: ratio(deleting), vacuuming: ratio(vacuuming) };
}

/** Threads at equal distances in the order of their ids, which is that of the indexes. */
function spread(threads: readonly SyntheticThread[], count: number): SyntheticThread[] {
  const distance = Math.floor(threads.length / count);
  return threads
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .filter((_thread, index) => index % distance === 0)
    .slice(0, count);
}

function changesOf(call: number) {
  return { values: { channel_0: valueOf("random", VALUE_BYTES, call) }, triggers: true };
}

function writesOf(call: number): (readonly [string, unknown])[] {
  return [
    ["channel_0", valueOf("random", VALUE_BYTES, call)],
    ["branch:to:node_0", null],
  ];
}
