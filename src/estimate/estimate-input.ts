import { InvalidConfigError } from "../errors/index.js";
import type { ValueContent } from "./unit-costs.js";

/** What a fleet is asked to be. */
export interface EstimateInput {
  /** Processes with a pool of their own. */
  readonly services: number;
  /** The connections of each pool, at most. */
  readonly poolSize: number;
  readonly threads: number;
  /** Checkpoints that the threads have stored. Without {@link keepLast} all of them are there. */
  readonly checkpoints: number;
  /** The saver's option `keepLast`: the newest checkpoints of a thread, which stay. `undefined`: all stay. */
  readonly keepLast: number | undefined;
  /** Super-steps a second in the busiest minutes. */
  readonly stepsPerSecond: number;
  /** Super-steps of a thread that follow each other, as in one `invoke`. A run reads its thread once. */
  readonly stepsPerRun: number;
  /** The channels of the graph, those that trigger nodes included. */
  readonly channels: number;
  /** The channels that change with each step, besides the list of messages. */
  readonly changed: number;
  /** The length of each of these values in bytes, before compression. */
  readonly valueBytes: number;
  /** The bytes that each step appends to the list of messages. 0 for none. */
  readonly messageBytes: number;
  /** Whether the saver has the option `splices`. */
  readonly splices: boolean;
  /** Pending writes of each step. */
  readonly writes: number;
  readonly content: ValueContent;
  /** How long a checkpoint stays, or its thread where {@link keepLast} deletes it earlier, in days. As many are deleted as are stored. */
  readonly retentionDays: number;
  /** Copies of each server that follow it. */
  readonly replicas: number;
  /** The bytes that a server is given at most. */
  readonly nodeBytes: number;
  /** The steps a second that a server is given at most. `undefined`: from its cores. */
  readonly nodeSteps: number | undefined;
}

/** The most checkpoints of one thread that an estimate follows step by step. */
const MAX_CHECKPOINTS_PER_THREAD = 1_000_000;
const SECONDS_PER_DAY = 86_400;
/** How much busier the busiest minutes are than the mean. */
export const PEAK_TO_MEAN = 4;

/** The inputs that have a default of their own. */
export const DEFAULT_INPUT = {
  services: 10,
  poolSize: 10,
  threads: 1_000_000,
  checkpointsPerThread: 100,
  stepsPerRun: 10,
  channels: 8,
  changed: 1,
  valueBytes: 2_000,
  messageBytes: 1_000,
  splices: false,
  content: "text",
  retentionDays: 90,
  replicas: 1,
  nodeBytes: 4e12,
} as const;

/** What a user asks: everything has a default. */
export type EstimateOptions = { readonly [Name in keyof EstimateInput]?: EstimateInput[Name] | undefined } & {
  /** The checkpoints of each thread, instead of those of all. */
  readonly checkpointsPerThread?: number | undefined;
};

/**
 * Adds the defaults.
 *
 * @throws InvalidConfigError for inputs that contradict each other.
 */
export function completeInput(options: EstimateOptions): EstimateInput {
  const { checkpointsPerThread, ...given } = { ...DEFAULT_INPUT, ...withoutUndefined(options) };
  const { threads, changed, messageBytes, retentionDays } = given;
  const checkpoints = options.checkpoints ?? threads * checkpointsPerThread;
  const mean = checkpoints / retentionDays / SECONDS_PER_DAY;
  const input: EstimateInput = {
    ...given,
    checkpoints,
    stepsPerSecond: options.stepsPerSecond ?? PEAK_TO_MEAN * mean,
    // One for each value, one for the messages, and one that triggers the next node.
    writes: options.writes ?? changed + (messageBytes > 0 ? 1 : 0) + 1,
    ...{ keepLast: options.keepLast, nodeSteps: options.nodeSteps },
  };
  refuseContradictions(input, mean);
  return input;
}

function refuseContradictions(input: EstimateInput, mean: number): void {
  const { threads, checkpoints, channels, changed, retentionDays, stepsPerSecond } = input;
  if (checkpoints < threads)
    throw new InvalidConfigError("--checkpoints", "must not be fewer than the threads");
  if (checkpoints / threads > MAX_CHECKPOINTS_PER_THREAD) {
    throw new InvalidConfigError(
      "--checkpoints",
      `must not be more than ${MAX_CHECKPOINTS_PER_THREAD.toLocaleString("en")} for each thread`,
    );
  }
  if (changed > channels)
    throw new InvalidConfigError("--changed", "must not be more than the channels of --channels");
  if (stepsPerSecond < mean * (1 - 1e-9)) {
    throw new InvalidConfigError(
      "--steps-per-second",
      `must be at least ${Math.ceil(mean)}, the mean at which ${retentionDays} days add up to these checkpoints`,
    );
  }
}

/** The checkpoints that a thread has stored. */
export function stepsOfThread({ threads, checkpoints }: EstimateInput): number {
  return Math.round(checkpoints / threads);
}

/** Those of them that are there. */
export function keptOfThread(input: EstimateInput): number {
  return Math.min(input.keepLast ?? Infinity, stepsOfThread(input));
}

/** The checkpoints of all threads that are there. */
export function storedCheckpoints(input: EstimateInput): number {
  return Math.min(input.threads * (input.keepLast ?? Infinity), input.checkpoints);
}

/** Steps a second, day and night. */
export function meanStepsPerSecond({ checkpoints, retentionDays }: EstimateInput): number {
  return checkpoints / retentionDays / SECONDS_PER_DAY;
}

function withoutUndefined(options: EstimateOptions): Partial<EstimateInput> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
