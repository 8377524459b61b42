import { parseConfigSignal, parseSignal } from "../../parsing/parse-call-options.js";
import { observeCall, observedOperations, observeRefusal } from "../../db/observe-call.js";
import type { SaverCall } from "./saver-call.js";

/** The operations of a saver; see `observedOperations`. */
const OPERATIONS = {
  setup: "checkpoint_kysely_migration",
  watch: "checkpoints",
  getTuple: "checkpoints",
  list: "checkpoints",
  put: "checkpoints",
  putWrites: "checkpoint_writes only",
  deleteThread: "checkpoints",
  batch: "checkpoints",
  getDeltaChannelHistory: "checkpoint_writes",
  getChannelValues: "checkpoints",
  withThreadLock: "pg_locks",
  prune: "checkpoints",
  retention: "checkpoints",
  deleteForRuns: "checkpoints",
  expand: "checkpoint_blobs",
  compact: "checkpoint_blobs",
  sanitize: "checkpoint_blobs",
  copyThread: "checkpoints",
  listThreads: "checkpoints only",
  listTombstones: "checkpoint_tombstones only",
  liftTombstones: "checkpoint_tombstones only",
  history: "checkpoints",
  fork: "checkpoints",
  rollback: "checkpoints",
  writesOf: "checkpoint_writes only",
  taskStats: "checkpoint_writes only",
  storage: "checkpoints",
  diff: "checkpoints",
  rebuildBlobs: "checkpoint_blobs",
  verify: "checkpoints",
  importThreads: "checkpoints",
  exportThreads: "checkpoints",
  archive: "checkpoints",
  restore: "checkpoints",
  health: "pg_class",
} as const;

/** The name of an operation, as spans, metrics and logs show it. */
export type OperationName = keyof typeof OPERATIONS;

/** Where the signal of a call is looked for. */
export interface SignalSources {
  /** The options of the call. Their signal wins. */
  readonly options?: unknown;
  /** The config of a read, which ends together with its run. A write ignores it: LangGraph counts on writes of an aborted run. */
  readonly config?: unknown;
}

/** Returns the context for one call, with the signal that its options or its config hold. */
export function callWithSignal(base: SaverCall, { options, config }: SignalSources): SaverCall {
  const signal = parseSignal(options) ?? parseConfigSignal(config);
  return signal === undefined ? base : { ...base, signal };
}

/**
 * Runs one call of a saver, or one part of a call that lasts, such as a page of a list. It is observed where telemetry is active.
 *
 * @param work - Called before this function returns.
 */
export function runCall<T>(
  base: SaverCall,
  name: OperationName,
  work: (call: SaverCall) => Promise<T>,
): Promise<T> {
  return observeCall(base, OBSERVED[name], work);
}

/**
 * Checks the arguments of a call that is observed in parts, or not at all. A refusal counts as a failed call, as in {@link runCall}.
 *
 * @param check - Called at once. It throws to refuse the call.
 */
export function countingRefusal<T>(call: SaverCall, name: OperationName, check: () => T): T {
  return observeRefusal(call, OBSERVED[name], check);
}

/** Reports an error between two parts of a call. */
export function reportFailure({ telemetry }: SaverCall, name: OperationName, error: unknown): void {
  telemetry?.failedLater(OBSERVED[name], error);
}

const OBSERVED = /* @__PURE__ */ observedOperations(OPERATIONS);
