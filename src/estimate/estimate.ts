import { type EstimateInput, meanStepsPerSecond, storedCheckpoints } from "./estimate-input.js";
import { diskBytes, type RowCost, sumCosts, multiplyCost, type UnitCosts } from "./unit-costs.js";
import { stepRows, type TableRows, type TableStep } from "./step-rows.js";
import { type StepTimes, stepTimes } from "./step-times.js";

const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3_600;
/** The cores of a server, and the share of their time that these calls may take. */
export const NODE_CORES = 16;
export const NODE_BUSY_SHARE = 0.5;
/** What a step takes on Citus of the time of processors, where on one server it takes 1; see docs/scale.md. */
export const CITUS_CPU = 7;
/** How many connections a pooler keeps for each one that is busy in the mean. */
export const CONNECTIONS_PER_BUSY = 2;

/** A table of the fleet. Bytes are those on disk. */
export interface TableEstimate {
  readonly rows: number;
  readonly heapBytes: number;
  readonly toastBytes: number;
  readonly indexBytes: number;
  readonly bytes: number;
}

/** What a fleet needs. */
export interface Estimate {
  readonly input: EstimateInput;
  readonly meanStepsPerSecond: number;
  readonly tables: Readonly<Record<"checkpoints" | "checkpoint_blobs" | "checkpoint_writes", TableEstimate>>;
  readonly total: TableEstimate;
  /** The bytes on disk for each checkpoint that stays. */
  readonly bytesPerCheckpoint: number;
  readonly log: LogEstimate;
  readonly connections: ConnectionsEstimate;
  readonly vacuum: VacuumEstimate;
  readonly memory: MemoryEstimate;
  readonly nodes: NodesEstimate;
  readonly times: StepTimes;
  /** Whether the times were measured while the machine had other work. */
  readonly timesAreProvisional: boolean;
}

/** The write-ahead log. */
interface LogEstimate {
  readonly rowBytesPerStep: number;
  /** Images of pages that a step changes first after a checkpoint of Postgres. */
  readonly imageBytesPerStep: number;
  readonly bytesPerSecondAtPeak: number;
  /** Rows, images and deletions of a day at the mean rate. */
  readonly bytesPerDay: number;
  readonly deletionBytesPerDay: number;
}

/** Connections to the server. */
interface ConnectionsEstimate {
  /** The connections that the pools of all services may open. */
  readonly ofPools: number;
  /** Those that are in use at a moment of the peak, by Little's law. */
  readonly busy: number;
  /** What a pooler in transaction mode needs to the server. */
  readonly throughPooler: number;
  readonly fitWithoutPooler: boolean;
}

/** What autovacuum has to do. */
interface VacuumEstimate {
  readonly deadRowsPerDay: number;
  /** The days between two vacuums of a table. */
  readonly daysBetween: number;
  /** How long such a vacuum of all tables takes with one worker at Postgres's default limits. */
  readonly hours: number;
  readonly transactionsPerDay: number;
  /** The days until the transactions since the last one force a vacuum. */
  readonly daysToFreeze: number;
}

/** What should fit into memory. */
interface MemoryEstimate {
  /** Pages of indexes that the busiest hour touches, at most. */
  readonly indexBytes: number;
  /** Rows that the busiest hour stores. */
  readonly rowBytes: number;
}

/** Servers. */
interface NodesEstimate {
  /** The steps a second that each of the servers is given. */
  readonly stepsPerNode: number;
  /** The cores that the calls keep busy at the peak, on all of them. */
  readonly busyCores: number;
  /** Servers that hold rows: 1, or the workers of Citus. */
  readonly servers: number;
  /** All servers, with the coordinator of Citus and the replicas of each. */
  readonly withReplicas: number;
  readonly bytesPerServer: number;
}

/**
 * Estimates what a fleet needs from what its calls cost.
 *
 * @param input - The fleet, as `completeInput` returns it.
 * @param costs - The measured costs.
 *
 * @example
 * ```ts
 * estimate(completeInput({ threads: 1e7, checkpoints: 1e9 }), MEASURED_COSTS).total.bytes;
 * ```
 */
export function estimate(input: EstimateInput, costs: UnitCosts): Estimate {
  const step = stepRows(input, costs);
  const { kept } = step;
  const tables = {
    checkpoints: tableOf(kept.checkpoints, input),
    checkpoint_blobs: tableOf(kept.checkpoint_blobs, input),
    checkpoint_writes: tableOf(kept.checkpoint_writes, input),
  };
  const [made, total] = [allOf(step), tableOf(allOf(kept), input)];
  const spent = stepTimes(input, step, costs);
  return {
    ...{ input, tables, total, times: spent },
    bytesPerCheckpoint: diskBytes(allOf(kept)),
    meanStepsPerSecond: meanStepsPerSecond(input),
    log: logOf(input, made, total, costs),
    connections: connectionsOf(input, spent),
    vacuum: vacuumOf(input, total, made.rows),
    memory: memoryOf(input, made, total),
    nodes: nodesOf(input, total, spent),
    timesAreProvisional: costs.timesAreProvisional,
  };
}

function allOf({ checkpoints, checkpoint_blobs, checkpoint_writes }: TableRows): TableStep {
  const all = [checkpoints, checkpoint_blobs, checkpoint_writes];
  return { rows: all.reduce((sum, { rows }) => sum + rows, 0), ...sumCosts(all) };
}

function tableOf(step: TableStep, input: EstimateInput): TableEstimate {
  const stored = storedCheckpoints(input);
  const { heap, toast, index } = multiplyCost(step, stored);
  return {
    rows: step.rows * stored,
    ...{ heapBytes: heap, toastBytes: toast, indexBytes: index, bytes: heap + toast + index },
  };
}

function logOf(input: EstimateInput, step: RowCost, total: TableEstimate, costs: UnitCosts): LogEstimate {
  const { stepsPerSecond, stepsPerRun } = input;
  const imagesOfRun = costs.pageImages.put + costs.pageImages.putWrites;
  const imageBytesAt = (steps: number) => {
    // The runs between two checkpoints touch the same page more often the fewer pages there are.
    const touches =
      (steps * POSTGRES_DEFAULTS.checkpointSeconds * imagesOfRun) / stepsPerRun / POSTGRES_DEFAULTS.pageBytes;
    const pages = (total.indexBytes + total.heapBytes) / POSTGRES_DEFAULTS.pageBytes;
    return touches === 0 ? 0 : ((distinctPages(pages, touches) / touches) * imagesOfRun) / stepsPerRun;
  };
  const mean = meanStepsPerSecond(input);
  const { deleting, vacuuming } = costs.deletion;
  const deletionBytesPerDay = mean * SECONDS_PER_DAY * diskBytes(step) * (deleting + vacuuming);
  const imageBytesPerStep = imageBytesAt(mean);
  return {
    ...{ rowBytesPerStep: step.wal, imageBytesPerStep, deletionBytesPerDay },
    bytesPerSecondAtPeak:
      stepsPerSecond * (step.wal + imageBytesAt(stepsPerSecond)) + deletionBytesPerDay / SECONDS_PER_DAY,
    bytesPerDay: mean * SECONDS_PER_DAY * (step.wal + imageBytesPerStep) + deletionBytesPerDay,
  };
}

function connectionsOf(input: EstimateInput, { heldMsPerStep }: StepTimes): ConnectionsEstimate {
  const { services, poolSize, stepsPerSecond } = input;
  const ofPools = services * poolSize;
  const busy = (stepsPerSecond * heldMsPerStep) / 1_000;
  return {
    ...{ ofPools, busy, throughPooler: Math.max(2, Math.ceil(busy * CONNECTIONS_PER_BUSY)) },
    fitWithoutPooler: ofPools <= POSTGRES_DEFAULTS.connections,
  };
}

function vacuumOf(input: EstimateInput, total: TableEstimate, rows: number): VacuumEstimate {
  const perDay = meanStepsPerSecond(input) * SECONDS_PER_DAY;
  // Each step is a put and the writes of a task.
  const transactionsPerDay = perDay * 2;
  const pages = (bytes: number) => bytes / POSTGRES_DEFAULTS.pageBytes;
  const { readCost, changeCost, deadShare, vacuumCostPerSecond } = POSTGRES_DEFAULTS;
  // A vacuum reads and changes the pages with dead rows, and then reads all indexes and changes those of the dead rows.
  const cost =
    pages(total.heapBytes + total.toastBytes) * deadShare * (readCost + changeCost) +
    pages(total.indexBytes) * (readCost + deadShare * changeCost);
  return {
    ...{ deadRowsPerDay: perDay * rows, transactionsPerDay },
    daysBetween: (deadShare * storedCheckpoints(input)) / perDay,
    hours: cost / vacuumCostPerSecond / SECONDS_PER_HOUR,
    daysToFreeze: POSTGRES_DEFAULTS.freezeAge / transactionsPerDay,
  };
}

function memoryOf(input: EstimateInput, step: TableStep, total: TableEstimate): MemoryEstimate {
  const { stepsPerSecond, stepsPerRun } = input;
  const steps = stepsPerSecond * SECONDS_PER_HOUR;
  const pages = total.indexBytes / POSTGRES_DEFAULTS.pageBytes;
  // A page of an index holds so many entries, and each page above the leaves refers to about as many pages.
  const entryBytes = step.index / step.rows;
  const inner = pages * (entryBytes / POSTGRES_DEFAULTS.pageBytes);
  // A run touches a page of each of the three primary keys, and what it adds fills further ones.
  const leaves = Math.min(
    pages,
    distinctPages(pages, (3 * steps) / stepsPerRun) + (steps * step.index) / POSTGRES_DEFAULTS.pageBytes,
  );
  return {
    indexBytes: (inner + leaves) * POSTGRES_DEFAULTS.pageBytes,
    rowBytes: Math.min(steps * (step.heap + step.toast), total.heapBytes + total.toastBytes),
  };
}

function nodesOf(
  input: EstimateInput,
  total: TableEstimate,
  { serverCpuMsPerStep }: StepTimes,
): NodesEstimate {
  const { stepsPerSecond, nodeBytes, replicas } = input;
  const stepsOn = (cpuMsPerStep: number) =>
    input.nodeSteps ?? Math.floor((NODE_CORES * NODE_BUSY_SHARE * 1_000) / cpuMsPerStep);
  const holding = Math.ceil(total.bytes / nodeBytes);
  const isOne = holding <= 1 && stepsPerSecond <= stepsOn(serverCpuMsPerStep);
  const cpuMsPerStep = serverCpuMsPerStep * (isOne ? 1 : CITUS_CPU);
  const stepsPerNode = stepsOn(cpuMsPerStep);
  const servers = isOne ? 1 : Math.max(2, holding, Math.ceil(stepsPerSecond / stepsPerNode));
  // Citus needs a coordinator beside its workers.
  const all = isOne ? 1 : servers + 1;
  return {
    ...{ stepsPerNode, servers, withReplicas: all * (1 + replicas), bytesPerServer: total.bytes / servers },
    busyCores: (stepsPerSecond * cpuMsPerStep) / 1_000,
  };
}

/** Defaults of Postgres that an estimate assumes. */
export const POSTGRES_DEFAULTS = {
  pageBytes: 8_192,
  /** `checkpoint_timeout`, in seconds. */
  checkpointSeconds: 300,
  /** `max_connections`, less `superuser_reserved_connections`. */
  connections: 97,
  /** `autovacuum_vacuum_scale_factor`: the share of dead rows at which a vacuum starts. */
  deadShare: 0.2,
  /** `autovacuum_freeze_max_age`: the transactions after which a table is vacuumed in any case. */
  freezeAge: 200_000_000,
  /** What autovacuum does in a second: `autovacuum_vacuum_cost_limit` 200 in each `autovacuum_vacuum_cost_delay` of 2 ms. */
  vacuumCostPerSecond: 100_000,
  /** `vacuum_cost_page_miss` since version 14, for a page that is read. */
  readCost: 2,
  /** `vacuum_cost_page_dirty`, for a page that is changed. */
  changeCost: 20,
} as const;

/**
 * Returns how many different pages are touched, if each touch meets any of them: pages × (1 - e^(-touches / pages)).
 *
 * @param pages - The number of pages.
 * @param touches - How often one of them is touched.
 */
export function distinctPages(pages: number, touches: number): number {
  return pages <= 0 ? 0 : pages * -Math.expm1(-touches / pages);
}
