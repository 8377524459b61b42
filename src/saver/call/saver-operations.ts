import { operationsOf, type UsedTables } from "../../telemetry/running-calls.js";

interface SaverOperation extends UsedTables {
  /**
   * Whether it may read the replica if the caller does not say so. Operations without it use the primary only: they store or delete
   * something, or decide what is stored or deleted. Runs continue from what `getTuple`, `list` and their like return, and what was
   * exported is often deleted afterwards, so these read the replica only if asked.
   */
  readonly staleReads?: "by default" | "if asked";
  /** Whether it works through whole tables. The server must not compile its statements. */
  readonly isBulk?: boolean;
}

const OPERATIONS = {
  setup: { table: "checkpoint_kysely_migration" },
  watch: { table: "checkpoints" },
  getTuple: { table: "checkpoints", staleReads: "if asked" },
  list: { table: "checkpoints", staleReads: "if asked" },
  put: { table: "checkpoints" },
  putWrites: { table: "checkpoint_writes", isOnlyTable: true },
  deleteThread: { table: "checkpoints" },
  batch: { table: "checkpoints" },
  getDeltaChannelHistory: { table: "checkpoint_writes", staleReads: "if asked" },
  getChannelValues: { table: "checkpoints", staleReads: "if asked" },
  withThreadLock: { table: "pg_locks", mayTakeAnyTime: true },
  prune: { table: "checkpoints", isBulk: true },
  retention: { table: "checkpoints", mayTakeAnyTime: true },
  deleteForRuns: { table: "checkpoints", isBulk: true },
  expand: { table: "checkpoint_blobs" },
  compact: { table: "checkpoint_blobs" },
  sanitize: { table: "checkpoint_blobs" },
  copyThread: { table: "checkpoints" },
  listThreads: { table: "checkpoints", isOnlyTable: true, staleReads: "by default" },
  listTombstones: { table: "checkpoint_tombstones", isOnlyTable: true, staleReads: "by default" },
  liftTombstones: { table: "checkpoint_tombstones", isOnlyTable: true },
  history: { table: "checkpoints", staleReads: "by default" },
  fork: { table: "checkpoints" },
  rollback: { table: "checkpoints" },
  writesOf: { table: "checkpoint_writes", isOnlyTable: true, staleReads: "by default" },
  taskStats: { table: "checkpoint_writes", isOnlyTable: true, staleReads: "by default" },
  storage: { table: "checkpoints", staleReads: "by default", isBulk: true },
  diff: { table: "checkpoints", staleReads: "by default" },
  repair: { table: "checkpoints", isBulk: true },
  rebuildBlobs: { table: "checkpoint_blobs" },
  verify: { table: "checkpoints", staleReads: "by default", isBulk: true },
  importThreads: { table: "checkpoints" },
  exportThreads: { table: "checkpoints", staleReads: "if asked" },
  archive: { table: "checkpoints", isBulk: true },
  restore: { table: "checkpoints", isBulk: true },
  health: { table: "pg_class" },
} satisfies Record<string, SaverOperation>;

/** The name of an operation, as spans, metrics and logs show it. */
export type SaverOperationName = keyof typeof OPERATIONS;

/** The operations of a saver. */
export const saverOperations = operationsOf<SaverOperationName, SaverOperation>(OPERATIONS);
