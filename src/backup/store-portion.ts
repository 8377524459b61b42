import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import { compareText } from "../saver/model/compare-text.js";
import { rowKey } from "../saver/model/row-key.js";
import { restoreBlobs } from "../saver/queries/restore-blobs.js";
import { restoreCheckpoints } from "./queries/restore-checkpoints.js";
import { restoreWrites, updateSpecialWrites } from "../saver/queries/restore-writes.js";
import type {
  DifferingRow,
  RestoredBlob,
  RestoredCheckpoint,
  RestoredWrite,
  RestoreStatements,
  StoredRow,
} from "../saver/queries/restored-rows.js";
import { inTurnOf } from "../saver/in-turn-of.js";
import { tombstoneGuard } from "../saver/write-guard.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { writingThreads } from "../saver/call/writing-threads.js";
import { BackupError } from "./backup-error.js";
import type { CommittedValues } from "./committed-values.js";

/** The rows of a backup that one transaction stores. */
export interface BackupPortion {
  readonly checkpoints: readonly RestoredCheckpoint[];
  readonly writes: readonly RestoredWrite[];
  readonly blobs: readonly RestoredBlob[];
}

/** The rows that were inserted or replaced; the others were already stored. */
export type StoredPortion = Readonly<Record<keyof BackupPortion, readonly StoredRow[]>>;

/** The statements that restore the rows of a table, and the key of a row. */
interface RestoredTable<Row extends object> {
  readonly statements: Pick<RestoreStatements<Row, unknown>, "insert" | "selectDiffering">;
  readonly keyOf: (row: Row) => string;
  /** Whether a stored row may differ and stay. Default: none may. */
  readonly mayDiffer?: (row: Row) => boolean;
}

/** What becomes of a stored special write that differs, such as an interrupt after an answer: the later one counts. */
export type StoredSpecials = "replaced" | "kept";

const BLOBS: RestoredTable<RestoredBlob> = {
  statements: restoreBlobs,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel, row.version),
};
const KEPT_WRITES: RestoredTable<RestoredWrite> = {
  statements: restoreWrites,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id, row.task_id, String(row.idx)),
  mayDiffer: ({ idx }) => idx < 0,
};
const WRITES: Readonly<Record<StoredSpecials, RestoredTable<RestoredWrite>>> = {
  kept: KEPT_WRITES,
  replaced: { ...KEPT_WRITES, statements: updateSpecialWrites },
};
const CHECKPOINTS: RestoredTable<RestoredCheckpoint> = {
  statements: restoreCheckpoints,
  keyOf: (row) => rowKey(row.thread_id, row.checkpoint_ns, row.checkpoint_id),
};

/**
 * Stores rows of a backup in one transaction, so that nobody can delete a value as unreferenced before its checkpoint is
 * stored. It takes its locks in the order checkpoints, writes, blobs, as every writer does.
 *
 * @param committed - The rows of an unfinished thread that earlier transactions have committed.
 * @throws BackupError when a row is already stored with different content; then nothing is stored.
 */
export async function storePortion(
  call: SaverCall,
  portion: BackupPortion,
  committed: CommittedValues | undefined,
  specials: StoredSpecials,
): Promise<StoredPortion> {
  const threadIds = threadsOf(portion);
  const writing = writingThreads(call, () => threadIds);
  return inTurnOf(call, threadIds, () =>
    inOneTransaction(writing, async (transaction) => {
      await refuseTombstones(transaction, portion);
      const checkpoints = await storeRows(transaction, portion.checkpoints, CHECKPOINTS);
      await committed?.lockAndCheck(transaction, portion.checkpoints);
      const writes = await storeRows(transaction, portion.writes, WRITES[specials]);
      const blobs = await storeRows(transaction, portion.blobs, BLOBS);
      return { checkpoints, writes, blobs };
    }),
  );
}

async function storeRows<Row extends object>(
  call: SaverCall,
  rows: readonly Row[],
  { statements, keyOf, mayDiffer = () => false }: RestoredTable<Row>,
): Promise<StoredRow[]> {
  if (rows.length === 0) return [];
  const { schema } = call;
  const sorted = sortedByKey(rows, keyOf);
  const [stored = []] = await runTransaction(call, { statements: [statements.insert(schema, sorted)] });
  if (stored.length === rows.length) return stored;
  const compared = rows.filter((row) => !mayDiffer(row));
  if (compared.length === 0) return stored;
  const [[difference] = []] = await runTransaction(call, {
    statements: [statements.selectDiffering(schema, compared)],
  });
  if (difference !== undefined) throw differingRowError(difference);
  return stored;
}

/** The distinct rows, sorted by key, so that two concurrent imports can't deadlock. */
function sortedByKey<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, row]) => row);
}

/** @throws ThreadDeletedError when the saver keeps tombstones and one of the threads has a tombstone. */
async function refuseTombstones(call: SaverCall, portion: BackupPortion): Promise<void> {
  for (const step of tombstoneGuard(call, threadsOf(portion))) {
    const [rows = []] = await runTransaction(call, { statements: [step.statement] });
    step.check?.(rows);
  }
}

function threadsOf({ checkpoints, writes, blobs }: BackupPortion): string[] {
  return [...new Set([...checkpoints, ...writes, ...blobs].map((row) => row.thread_id))];
}

function differingRowError({ thread_id, checkpoint_ns, checkpoint_id, channel }: DifferingRow): BackupError {
  const parts = [
    `thread "${thread_id}"`,
    checkpoint_ns === "" ? "" : `namespace "${checkpoint_ns}"`,
    checkpoint_id === null ? "" : `checkpoint "${checkpoint_id}"`,
    channel === null ? "" : `channel "${channel}"`,
  ].filter((part) => part !== "");
  return new BackupError(
    `${parts.join(", ")} is already stored with different content: an import overwrites nothing`,
    {
      threadId: thread_id,
      checkpointNs: checkpoint_ns,
      checkpointId: checkpoint_id ?? undefined,
      channel: channel ?? undefined,
    },
  );
}
