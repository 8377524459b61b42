import { describe, expect, it } from "@jest/globals";
import { InvalidConfigError } from "../errors/index.js";
import { CITUS_CPU, estimate, distinctPages } from "./estimate.js";
import { completeInput, type EstimateOptions } from "./estimate-input.js";
import type { CallCosts, RowPoint, UnitCosts } from "./unit-costs.js";

const DAY = 86_400;

/** Costs that are easy to add up. */
function row(heap: number, wal: number): RowPoint[] {
  return [
    { size: 0, heap, toast: 0, index: 100, wal },
    { size: 1_000, heap: heap + 1_000, toast: 0, index: 100, wal: wal + 1_000 },
  ];
}

function call(fixedMs: number): CallCosts {
  const cost = { fixedMs, rowMs: 0, kilobyteMs: 0 };
  return { roundTrips: 1, elapsed: cost, serverCpu: cost };
}

const COSTS: UnitCosts = {
  headers: row(500, 1_000),
  values: { text: row(200, 300), random: row(400, 600) },
  writes: { text: row(100, 200), random: row(300, 500) },
  pageImages: { put: 20_000, putWrites: 10_000 },
  deletion: { deleting: 0.9, vacuuming: 0.1 },
  calls: { put: call(1.5), putWrites: call(0.5), getTuple: call(5) },
  timesAreProvisional: false,
};

/** One value of 1 kB, no messages: a header, a value, an emptied channel, and two writes for each step. */
const FLEET: EstimateOptions = {
  ...{ services: 100, threads: 1_000, checkpoints: 864_000, retentionDays: 10, stepsPerSecond: 100 },
  ...{ channels: 3, changed: 1, valueBytes: 1_000, messageBytes: 0, stepsPerRun: 10 },
};

function estimateOf(options: EstimateOptions) {
  return estimate(completeInput({ ...FLEET, ...options }), COSTS);
}

describe("an estimate", () => {
  it("adds up rows and bytes of each table", () => {
    const { tables, total, bytesPerCheckpoint } = estimateOf({});
    expect(tables.checkpoints).toMatchObject({ rows: 864_000, heapBytes: 864_000 * 503 });
    expect(tables.checkpoint_blobs).toMatchObject({ rows: 2 * 864_000, heapBytes: 864_000 * 1_400 });
    expect(tables.checkpoint_writes).toMatchObject({ rows: 2 * 864_000, indexBytes: 864_000 * 200 });
    expect(bytesPerCheckpoint).toBe(503 + 1_400 + 1_200 + 500);
    expect(total.bytes).toBe(864_000 * bytesPerCheckpoint);
  });

  it("stores long lists of messages whole at each step, and with splices what is new and log2(n) / 2 times that", () => {
    const list = { messageBytes: 1_000, threads: 100, checkpoints: 100 * 1_000, retentionDays: 1 };
    const whole = estimateOf(list).tables.checkpoint_blobs.toastBytes;
    const costs = { ...COSTS, values: { ...COSTS.values, text: withToast(COSTS.values.text) } };
    const toastOf = (splices: boolean) =>
      estimate(completeInput({ ...FLEET, ...list, splices }), costs).tables.checkpoint_blobs.toastBytes;
    expect(whole).toBe(0);
    expect(toastOf(false) / 100_000).toBeCloseTo(500_500 - 1_000, -4);
    expect(toastOf(true) / 100_000).toBeLessThan(10_000);
  });

  it("keeps the newest checkpoints only where the saver does, and logs and deletes as much as without", () => {
    const all = estimateOf({});
    const kept = estimateOf({ keepLast: 100 });
    expect(kept.tables.checkpoints.rows).toBe(1_000 * 100);
    expect(kept.bytesPerCheckpoint).toBeCloseTo(all.bytesPerCheckpoint);
    expect(kept.log).toMatchObject({
      ...{ rowBytesPerStep: all.log.rowBytesPerStep, deletionBytesPerDay: all.log.deletionBytesPerDay },
    });
    // 86,400 steps a day kill a fifth of 100,000 checkpoints in a fifth of that time.
    expect(kept.vacuum.daysBetween).toBeCloseTo((0.2 * 100_000) / DAY);
    expect(kept.memory.rowBytes).toBeLessThanOrEqual(kept.total.heapBytes);
    expect(estimateOf({ keepLast: 1e6 }).total).toEqual(all.total);
  });

  it("keeps the longest lists of messages", () => {
    const list = { messageBytes: 1_000, threads: 100, checkpoints: 100 * 500, retentionDays: 1 };
    const costs = { ...COSTS, values: { ...COSTS.values, text: withToast(COSTS.values.text) } };
    const { tables } = estimate(completeInput({ ...FLEET, ...list, keepLast: 1 }), costs);
    expect(tables.checkpoint_blobs.toastBytes / 100).toBeCloseTo(500_000 + 1_000, -3);
  });

  it("has more log where pages are touched for the first time, and less where runs share them", () => {
    const wide = estimateOf({ threads: 1e7, checkpoints: 1e9, retentionDays: 365 });
    // Nearly each run meets pages that nobody has touched.
    expect(wide.log.imageBytesPerStep).toBeGreaterThan(2_900);
    expect(estimateOf({ stepsPerSecond: 5_000 }).log.imageBytesPerStep).toBeLessThan(3_000);
    const { log, meanStepsPerSecond, bytesPerCheckpoint } = estimateOf({});
    expect(meanStepsPerSecond).toBe(1);
    expect(log.rowBytesPerStep).toBe(1_003 + 1_600 + 1_400);
    expect(log.deletionBytesPerDay).toBe(DAY * bytesPerCheckpoint);
    expect(log.bytesPerDay).toBeCloseTo(
      DAY * (log.rowBytesPerStep + log.imageBytesPerStep) + log.deletionBytesPerDay,
    );
  });

  it("counts busy connections by Little's law, network included, and those that pools may open", () => {
    // A put of 1.5 ms, writes of 0.5 ms, a tenth of a read of 5 ms, and half a millisecond of network for each.
    const { connections, nodes } = estimateOf({});
    expect(connections.busy).toBeCloseTo((100 * (2 + 1 + 0.55)) / 1_000);
    expect(connections).toMatchObject({ ofPools: 1_000, throughPooler: 2, fitWithoutPooler: false });
    expect(estimateOf({ services: 9 }).connections.fitWithoutPooler).toBe(true);
    expect(nodes.busyCores).toBeCloseTo((100 * 2.5) / 1_000);
  });

  it("needs one server up to its budget, and then workers of Citus with a coordinator", () => {
    expect(estimateOf({ replicas: 2 }).nodes).toMatchObject({ servers: 1, withReplicas: 3 });
    expect(estimateOf({ nodeSteps: 30, replicas: 1 }).nodes).toMatchObject({ servers: 4, withReplicas: 10 });
    expect(estimateOf({ nodeBytes: 1e9, replicas: 0 }).nodes).toMatchObject({ servers: 4, withReplicas: 5 });
  });

  it("counts the time that a step takes on Citus only where one server is not enough", () => {
    const [one, spread] = [estimateOf({}).nodes, estimateOf({ nodeBytes: 1e9 }).nodes];
    expect(one.stepsPerNode).toBe(Math.floor(8_000 / 2.5));
    expect(spread.stepsPerNode).toBe(Math.floor(8_000 / 2.5 / CITUS_CPU));
    expect(spread.busyCores).toBeCloseTo(one.busyCores * CITUS_CPU);
  });

  it("vacuums as often as a fifth of the rows is dead, and against wraparound", () => {
    const { vacuum } = estimateOf({});
    expect(vacuum).toMatchObject({ deadRowsPerDay: DAY * 5, daysBetween: 2, transactionsPerDay: DAY * 2 });
    expect(vacuum.daysToFreeze).toBeCloseTo(200e6 / (2 * DAY));
  });

  it("keeps no more of the indexes in memory than there is", () => {
    const { memory, total } = estimateOf({ stepsPerSecond: 1e6 });
    expect(memory.indexBytes).toBeLessThanOrEqual(total.indexBytes * 1.05);
  });
});

describe("the inputs of an estimate", () => {
  it("have defaults that fit each other", () => {
    const input = completeInput({ messageBytes: 0, changed: 2 });
    expect(input).toMatchObject({ threads: 1_000_000, checkpoints: 100_000_000, writes: 3 });
    expect(input.stepsPerSecond).toBeCloseTo((4 * 100e6) / (90 * DAY));
  });

  it.each([
    ["--checkpoints", { threads: 10, checkpoints: 5 }],
    ["--checkpoints", { threads: 1, checkpoints: 1e9 }],
    ["--changed", { channels: 3, changed: 4 }],
    ["--steps-per-second", { threads: 1e6, checkpoints: 1e9, retentionDays: 30, stepsPerSecond: 100 }],
  ])("are refused where they contradict each other: %s", (field, options) => {
    const refused = () => completeInput(options);
    expect(refused).toThrow(InvalidConfigError);
    expect(refused).toThrow(field);
  });
});

function withToast(points: readonly RowPoint[]): RowPoint[] {
  return points.map((point) => ({ ...point, heap: 100, toast: point.size }));
}

it("touches each page once where there are many, and all of them where there are few", () => {
  expect(distinctPages(1e9, 100)).toBeCloseTo(100, 3);
  expect(distinctPages(10, 1_000)).toBeCloseTo(10, 6);
  expect(distinctPages(0, 5)).toBe(0);
});
