import { readFile } from "node:fs/promises";
import type { CallCost, CallCosts, CallName, UnitCosts } from "../../src/estimate/unit-costs.js";
import type { BenchServer } from "../bench-server.js";
import { openCountedPool, type CountedPool } from "../measure/counted-pool.js";
import { quantile } from "../measure/statistics.js";
import { takeTurns, timed } from "../measure/take-turns.js";
import type { Size } from "../scenarios/scenario.js";
import { OURS, type Saver } from "../subjects.js";
import { SyntheticThread } from "./synthetic-thread.js";
import { valueOf } from "./values.js";

const CALLS: readonly CallName[] = ["put", "putWrites", "getTuple"];

/** The rows of a call and the bytes of each. Three shapes are what three unknowns need. */
const FEW = { rows: 1, bytes: 2_000 };
const MANY = { rows: 20, bytes: 2_000 };
const LONG = { rows: 1, bytes: 1_000_000 };
const SHAPES = [FEW, MANY, LONG] as const;
type Shape = (typeof SHAPES)[number];

const ROUNDS = { quick: 2, full: 300 };
const WARM_UP = { quick: 1, full: 100 };

/** Measures the time of the calls of a super-step, one after the other on one connection. */
export async function measureCalls(server: BenchServer, size: Size): Promise<UnitCosts["calls"]> {
  const [few, many, long] = [
    await measureShape(server, size, FEW),
    await measureShape(server, size, MANY),
    await measureShape(server, size, LONG),
  ];
  const costsOf = (call: CallName): CallCosts => {
    const solve = (figure: keyof Measured) =>
      costOf(few[call][figure], many[call][figure], long[call][figure]);
    return {
      roundTrips: few[call].statements,
      elapsed: solve("elapsedMs"),
      serverCpu: solve("serverCpuMs"),
    };
  };
  return { put: costsOf("put"), putWrites: costsOf("putWrites"), getTuple: costsOf("getTuple") };
}

/** The medians of a call. */
interface Measured {
  readonly elapsedMs: number;
  readonly serverCpuMs: number;
  readonly statements: number;
}

/** The fixed part of a call and those of its rows and bytes, from a call of few rows, one of many, and one with a long value. */
function costOf(few: number, many: number, long: number): CallCost {
  const kilobytesOf = ({ rows, bytes }: Shape) => (rows * bytes) / 1_000;
  const kilobyteMs = Math.max(0, (long - few) / (kilobytesOf(LONG) - kilobytesOf(FEW)));
  const rowMs = Math.max(
    0,
    (many - few - kilobyteMs * (kilobytesOf(MANY) - kilobytesOf(FEW))) / (MANY.rows - FEW.rows),
  );
  const fixedMs = Math.max(0, few - FEW.rows * rowMs - kilobytesOf(FEW) * kilobyteMs);
  return { fixedMs: rounded(fixedMs), rowMs: rounded(rowMs), kilobyteMs: rounded(kilobyteMs) };
}

function rounded(ms: number): number {
  return Math.round(ms * 1e5) / 1e5;
}

async function measureShape(
  server: BenchServer,
  { quick }: Size,
  shape: Shape,
): Promise<Record<CallName, Measured>> {
  const kind = quick ? "quick" : "full";
  // Long values take so long that few rounds are enough.
  const rounds = Math.ceil(ROUNDS[kind] / (shape === LONG ? 5 : 1));
  const database = await server.emptyDatabase();
  const counted = openCountedPool(database.source, 1);
  try {
    const saver = OURS.open(counted.pool);
    await saver.setup();
    const calls = await prepareCalls(saver, shape);
    const warmUp = Math.ceil(WARM_UP[kind] / (shape === LONG ? 5 : 1));
    await takeTurns(
      CALLS.map((call) => calls[call]),
      warmUp,
    );
    await database.exec("vacuum analyze");
    const backend = await backendOf(counted);
    const series: Record<CallName, { elapsedMs: number; serverCpuMs: number }[]> = {
      put: [],
      putWrites: [],
      getTuple: [],
    };
    await takeTurns(
      CALLS.map((call) => async () => {
        const before = await cpuMs(backend);
        const elapsedMs = await timed(calls[call]);
        series[call].push({ elapsedMs, serverCpuMs: (await cpuMs(backend)) - before });
      }),
      rounds,
    );
    const result = async (call: CallName): Promise<Measured> => ({
      elapsedMs: median(series[call].map(({ elapsedMs }) => elapsedMs)),
      serverCpuMs: median(series[call].map(({ serverCpuMs }) => serverCpuMs)),
      statements: await counted.count(calls[call]),
    });
    return {
      put: await result("put"),
      putWrites: await result("putWrites"),
      getTuple: await result("getTuple"),
    };
  } finally {
    await counted.end();
    await database.giveBack();
  }
}

/** Prepares the calls. A put changes all values, and a read gets them with as many pending writes as one put adds. */
async function prepareCalls(
  saver: Saver,
  { rows, bytes }: Shape,
): Promise<Record<CallName, () => Promise<void>>> {
  const read = new SyntheticThread(saver, channelsFor(rows));
  const [put, writes] = [new SyntheticThread(saver, channelsFor(rows)), new SyntheticThread(saver, 3)];
  const values = Object.fromEntries(
    Array.from({ length: rows }, (_, index) => [`channel_${index}`, valueOf("text", bytes, index)]),
  );
  await read.put({ values, triggers: false });
  await put.put({ values, triggers: false });
  return {
    put: () => put.put({ values, triggers: false }),
    putWrites: () => writes.putWrites(Object.entries(values)),
    getTuple: () => read.getTuple(),
  };
}

/** So many channels that a third of them may be triggers. */
function channelsFor(rows: number): number {
  return Math.ceil((rows + 1) * 1.5) + 1;
}

async function backendOf({ pool }: CountedPool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const [first] = rows;
  if (first === undefined) throw new Error("no process");
  return first.pid;
}

/** The processor time of a process on this machine, in milliseconds. The first number of the file is nanoseconds. */
async function cpuMs(pid: number): Promise<number> {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ");
  return Number(nanoseconds) / 1e6;
}

function median(series: readonly number[]): number {
  return quantile(
    series.toSorted((a, b) => a - b),
    0.5,
  );
}
