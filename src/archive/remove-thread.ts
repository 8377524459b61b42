import { inOneTransaction, runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import { type IdleRule, isIdle } from "../retention/idle-rule.js";
import { deleteUnreferencedBlobs } from "../retention/queries/orphaned-blobs.js";
import { lockCheckpointsOfThread } from "../retention/queries/deleted-checkpoints.js";
import { selectThreadTimes } from "../retention/queries/select-thread-times.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { groupBy } from "../db/group-by.js";
import { NO_ROWS } from "../saver/model/row-counts.js";
import { readIsolation, refuseSnapshots } from "../saver/queries/take-locks.js";
import { putTombstones } from "../saver/queries/tombstones.js";
import { writeGuard } from "../saver/storing/write-guard.js";
import type { Removal } from "./archive-part.js";
import type { RowDigests } from "../backup/row-digests.js";
import { deleteCheckpointsByKey, deleteWritesByKey } from "./queries/delete-rows.js";
import {
  type BlobDigestRow,
  type CheckpointDigestRow,
  digestBlobs,
  digestCheckpoints,
  digestWrites,
  type WriteDigestRow,
} from "../backup/queries/digest-rows.js";
import { lockBlobsOfThread, lockWritesOfThread } from "./queries/lock-rows-of-thread.js";

/** What must hold for a thread to be deleted. */
interface Condition {
  /** The file holds every row of the thread. */
  readonly archived: RowDigests;
  /** The thread is idle by this rule. */
  readonly idle: IdleRule | undefined;
}

interface ThreadRows {
  readonly checkpoints: readonly CheckpointDigestRow[];
  readonly writes: readonly WriteDigestRow[];
  readonly blobs: readonly BlobDigestRow[];
}

/**
 * Deletes a thread whose rows are all in a file, as `deleteThread` does, or nothing of it. It locks all rows of the thread and
 * compares them in the next statements (C7), and then deletes the compared ones by their keys. What comes meanwhile stays.
 */
export async function removeThread(
  call: SaverCall,
  threadId: string,
  { archived, idle }: Condition,
): Promise<Removal> {
  const removal = await inOneTransaction(call, async (within) => {
    await lockThread(within, threadId);
    const rows = await readDigests(within, threadId);
    const isActive = idle !== undefined && (await isThreadActive(within, threadId, idle));
    if (isActive || !isArchived(rows, archived)) return { ...NO_ROWS, isChanged: true };
    return deleteRows(within, threadId, rows);
  });
  call.policy.memory?.forgetThread(threadId);
  return removal;
}

/** Whether a checkpoint came after the thread was found idle. It may be in the file. */
async function isThreadActive(within: SaverCall, threadId: string, idle: IdleRule): Promise<boolean> {
  const times = await selectThreadTimes(within, [threadId]);
  return times.some((time) => !isIdle(time, idle));
}

async function lockThread(within: SaverCall, threadId: string): Promise<void> {
  const { schema } = within;
  const isolation = {
    statement: readIsolation(schema),
    check: (rows: readonly { readonly isolation: string }[]) => {
      refuseSnapshots(rows, "archive needs");
    },
  };
  await runTransaction(within, {
    guard: [isolation, ...(await writeGuard(within, [{ kind: "deleteThread", threadId }]))],
    statements: [
      lockCheckpointsOfThread(schema, threadId),
      lockWritesOfThread(schema, threadId),
      lockBlobsOfThread(schema, threadId),
    ],
  });
}

async function readDigests(within: SaverCall, threadId: string): Promise<ThreadRows> {
  const { schema } = within;
  return {
    checkpoints: await send(within, digestCheckpoints(schema, { threadId })),
    writes: await send(within, digestWrites(schema, { threadId })),
    blobs: await send(within, digestBlobs(schema, { threadId })),
  };
}

function isArchived({ checkpoints, writes, blobs }: ThreadRows, archived: RowDigests): boolean {
  return (
    checkpoints.every((row) => archived.holds({ table: "checkpoints", ...row })) &&
    writes.every((row) => archived.holds({ table: "checkpoint_writes", ...row })) &&
    blobs.every((row) => archived.holds({ table: "checkpoint_blobs", ...row }))
  );
}

async function deleteRows(
  within: SaverCall,
  threadId: string,
  { checkpoints, writes, blobs }: ThreadRows,
): Promise<Removal> {
  const { schema, policy } = within;
  if (policy.keepTombstones === true)
    await send(within, putTombstones(schema, { naming: "parameter", threadId, items: [threadId] }));
  const [headers] = await send(
    within,
    deleteCheckpointsByKey(schema, {
      threadId,
      checkpointNss: checkpoints.map((row) => row.checkpoint_ns),
      checkpointIds: checkpoints.map((row) => row.checkpoint_id),
    }),
  );
  await send(
    within,
    deleteWritesByKey(schema, {
      threadId,
      checkpointNss: writes.map((row) => row.checkpoint_ns),
      checkpointIds: writes.map((row) => row.checkpoint_id),
      taskIds: writes.map((row) => row.task_id),
      positions: writes.map(({ idx }) => idx),
    }),
  );
  let bytes = writes.reduce((sum, row) => sum + (row.bytes ?? 0), headers?.bytes ?? 0);
  let deletedBlobs = 0;
  for (const [checkpointNs, values] of groupBy(blobs, (row) => row.checkpoint_ns)) {
    const key = {
      threadId,
      checkpointNs,
      channels: values.map(({ channel }) => channel),
      versions: values.map(({ version }) => version),
    };
    const [deleted] = await send(within, deleteUnreferencedBlobs(schema, key));
    deletedBlobs += deleted?.blobs ?? 0;
    bytes += deleted?.bytes ?? 0;
  }
  return {
    checkpoints: checkpoints.length,
    writes: writes.length,
    blobs: deletedBlobs,
    bytes,
    isChanged: false,
  };
}

async function send<Row>(within: SaverCall, statement: BoundStatement<Row>): Promise<Row[]> {
  const [rows = []] = await runTransaction(within, { statements: [statement] });
  return rows;
}
