import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { compareText } from "../saver/model/compare-text.js";
import { rowKey } from "../saver/model/row-key.js";
import { differingBlobs, restoreBlobs } from "../saver/queries/restore-blobs.js";
import { differingCheckpoints, restoreCheckpoints } from "./queries/restore-checkpoints.js";
import { differingWrites, restoreWrites } from "../saver/queries/restore-writes.js";
import type {
  DifferingRow,
  RestoredBlob,
  RestoredCheckpoint,
  RestoredWrite,
  StoredRow,
} from "../saver/queries/restored-rows.js";
import { tombstoneGuard } from "../saver/write-guard.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { BackupError } from "./backup-error.js";
import type { EarlierValues } from "./earlier-values.js";

/** Rows of a backup that are stored together. */
export interface RestoredPortion {
  readonly checkpoints: readonly RestoredCheckpoint[];
  readonly writes: readonly RestoredWrite[];
  readonly blobs: readonly RestoredBlob[];
}

/** The rows that were stored; the others were there already, and equal. */
export type StoredPortion = Readonly<Record<keyof RestoredPortion, readonly StoredRow[]>>;

/** How the rows of a table are stored, and compared with those that are there. */
interface TableRules<Row> {
  readonly insert: (schema: string, rows: readonly Row[]) => BoundStatement<StoredRow>;
  readonly differing: (schema: string, rows: readonly Row[]) => BoundStatement<DifferingRow>;
  readonly keyOf: (row: Row) => string;
}

const BLOBS: TableRules<RestoredBlob> = {
  insert: restoreBlobs,
  differing: differingBlobs,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel, row.version),
};
const WRITES: TableRules<RestoredWrite> = {
  insert: restoreWrites,
  differing: differingWrites,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx)),
};
const CHECKPOINTS: TableRules<RestoredCheckpoint> = {
  insert: restoreCheckpoints,
  differing: differingCheckpoints,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id),
};

/**
 * Stores rows of a backup in one transaction, so that a checkpoint comes with its values, and nobody deletes one of them as
 * unreferenced in between. It takes its locks in the order checkpoints, writes, blobs, as every writer does.
 *
 * @param earlier - What earlier transactions have restored of a thread that goes on.
 * @throws BackupError for a row that is there and differs; nothing is stored then.
 */
export async function restorePortion(
  call: SaverCall,
  portion: RestoredPortion,
  earlier: EarlierValues | undefined,
): Promise<StoredPortion> {
  return inOneTransaction(call, async (within) => {
    await refuseDeleted(within, portion);
    const checkpoints = await storeRows(within, portion.checkpoints, CHECKPOINTS);
    await earlier?.requireFor(within, portion.checkpoints);
    const writes = await storeRows(within, portion.writes, WRITES);
    const blobs = await storeRows(within, portion.blobs, BLOBS);
    return { checkpoints, writes, blobs };
  });
}

async function storeRows<Row>(
  call: SaverCall,
  rows: readonly Row[],
  { insert, differing, keyOf }: TableRules<Row>,
): Promise<StoredRow[]> {
  if (rows.length === 0) return [];
  const { schema } = call;
  const sorted = sortedByKey(rows, keyOf);
  const [stored = []] = await runTransaction(call, { statements: [insert(schema, sorted)] });
  if (stored.length === rows.length) return stored;
  const [[other] = []] = await runTransaction(call, { statements: [differing(schema, rows)] });
  if (other !== undefined) throw refusal(other);
  return stored;
}

/** Each row once, in one order, so that two imports at a time don't wait for one another. */
function sortedByKey<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const byKey = new Map([...rows].reverse().map((row) => [keyOf(row), row]));
  return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row);
}

/** Where threads that are deleted stay deleted, they are not brought back. */
async function refuseDeleted(
  call: SaverCall,
  { checkpoints, writes, blobs }: RestoredPortion,
): Promise<void> {
  const threads = [...new Set([...checkpoints, ...writes, ...blobs].map((row) => row.thread_id))];
  for (const step of tombstoneGuard(call, threads)) {
    const [rows = []] = await runTransaction(call, { statements: [step.statement] });
    step.check?.(rows);
  }
}

function refusal({ thread_id, checkpoint_ns, checkpoint_id, channel }: DifferingRow): BackupError {
  const parts = [
    `thread "${thread_id}"`,
    checkpoint_ns === "" ? "" : `namespace "${checkpoint_ns}"`,
    checkpoint_id === null ? "" : `checkpoint "${checkpoint_id}"`,
    channel === null ? "" : `channel "${channel}"`,
  ].filter((part) => part !== "");
  return new BackupError(`${parts.join(", ")} is there already, and differs: nothing is overwritten`, {
    threadId: thread_id,
    checkpointNs: checkpoint_ns,
    checkpointId: checkpoint_id ?? undefined,
    channel: channel ?? undefined,
  });
}
