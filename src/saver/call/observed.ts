import type { ObservedOperation } from "../../telemetry/telemetry.js";
import { tablesFor } from "./saver-tables.js";
import type { WritableTables } from "./write-rules.js";

/**
 * What a call does, by its name: the first table that it is about, and whether there is no other. Some few names and
 * tables, since metrics are kept for each.
 */
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
  deleteForRuns: "checkpoints",
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
} as const;

/** The name of a call that is observed. */
export type OperationName = keyof typeof OPERATIONS;

/**
 * Makes a call of a saver's method: with the tables for it, as its options say, and observed where somebody watches.
 *
 * @param options - What the caller gave; its signal counts.
 * @param run - Called at once.
 * @param config - As in {@link tablesFor}.
 */
export function observed<T>(
  tables: WritableTables,
  name: OperationName,
  options: unknown,
  run: (tables: WritableTables) => Promise<T>,
  config?: unknown,
): Promise<T> {
  const work = async (call: WritableTables["call"]): Promise<T> => {
    const own = tablesFor(tables, options, config);
    return run(call === undefined ? own : { ...own, call });
  };
  return tables.telemetry === undefined ? work(undefined) : tables.telemetry.observe(operationOf(name), work);
}

/** The same within a call that goes on, as a list does from page to page. */
export function observedPart<T>(
  tables: WritableTables,
  name: OperationName,
  run: (tables: WritableTables) => Promise<T>,
): Promise<T> {
  const work = (call: WritableTables["call"]): Promise<T> =>
    run(call === undefined ? tables : { ...tables, call });
  return tables.telemetry === undefined ? work(undefined) : tables.telemetry.observe(operationOf(name), work);
}

/** Tells of an error in a call whose parts have all ended. */
export function failedLater(tables: WritableTables, name: OperationName, error: unknown): void {
  tables.telemetry?.failedLater(operationOf(name), error);
}

function operationOf(name: OperationName): ObservedOperation {
  return known[name];
}

const known = /* @__PURE__ */ Object.fromEntries(
  Object.entries(OPERATIONS).map(([operation, tables]): [string, ObservedOperation] => {
    const [target = "", only] = tables.split(" ");
    return [operation, { operation, target, isOnlyTable: only !== undefined }];
  }),
) as Readonly<Record<OperationName, ObservedOperation>>;
