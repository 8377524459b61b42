import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { type NamespaceKey, rowKey } from "../saver/model/keys.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { chunksOf } from "../saver/model/portions.js";
import { type DeletionCandidates, findKeptSenders } from "./find-needed.js";
import { deleteUnreferencedBlobs, type OrphanedBlobRow } from "./queries/orphaned-blobs.js";
import { deleteWritesWithoutCheckpoint, lockWrites } from "./queries/orphaned-writes.js";
import { lockBlobs } from "../saver/queries/lock-blobs.js";
import { requireReadCommitted } from "./delete-checkpoints.js";

/** How many values one transaction deletes at least. Its locks block only writers that store the same values again. */
const BLOBS_PER_TRANSACTION = 10_000;

/** In how many transactions the values of a namespace are deleted at most. Each reads all headers and splices of the namespace again. */
const MOST_TRANSACTIONS = 10;

function batchSizeFor(values: number): number {
  return Math.max(BLOBS_PER_TRANSACTION, Math.ceil(values / MOST_TRANSACTIONS));
}

/**
 * Deletes values of a namespace that no checkpoint needs, and yields what each transaction deleted.
 *
 * @param orphans - The values that no checkpoint needed when they were selected. Each transaction checks them again.
 */
export async function* deleteOrphanedBlobs(
  call: CallContext,
  namespace: NamespaceKey,
  orphans: readonly OrphanedBlobRow[],
): AsyncGenerator<RowCounts> {
  for (const batch of batchesOfOrphans(orphans)) {
    const key = {
      ...namespace,
      channels: batch.map(({ channel }) => channel),
      versions: batch.map(({ version }) => version),
    };
    const guard = [{ statement: lockBlobs(call.schema, key, "forUpdate"), check: requireReadCommitted }];
    const statements = [deleteUnreferencedBlobs.bind(call.schema, key)];
    const [[deleted] = []] = await runTransaction(call, { guard, statements });
    yield { ...NO_ROWS, ...deleted };
  }
}

/**
 * Deletes the pending writes of checkpoints that have no row, and yields what each transaction deleted.
 *
 * @param orphans - The ids of the checkpoints, at most `batchSize` of them per transaction.
 */
export async function* deleteOrphanedWrites(
  call: CallContext,
  { key: namespace, ids: orphans }: DeletionCandidates,
  batchSize: number,
): AsyncGenerator<RowCounts> {
  const [senders] = await findKeptSenders(call, [{ key: namespace, ids: [] }]);
  for (const checkpointIds of chunksOf(orphans, batchSize)) {
    const keptSenders = checkpointIds.filter((id) => senders?.has(id));
    const key = { ...namespace, checkpointIds, keptSenders };
    const guard = [{ statement: lockWrites.bind(call.schema, key), check: requireReadCommitted }];
    const statements = [deleteWritesWithoutCheckpoint.bind(call.schema, key)];
    const [[deleted] = []] = await runTransaction(call, { guard, statements });
    yield { ...NO_ROWS, ...deleted };
  }
}

type ChainedValue = Pick<OrphanedBlobRow, "channel" | "version" | "base">;

/**
 * Splits values of a namespace into batches that are deleted one after another. A splice comes in the same batch as the value that
 * it needs, or in an earlier one (C13). Each batch has the order of `orphans`, in which its rows are locked.
 */
export function* batchesOfOrphans<Value extends ChainedValue>(
  orphans: readonly Value[],
  size = batchSizeFor(orphans.length),
): Generator<Value[]> {
  const depths = depthsOf(orphans);
  const depthAt = (position: number) => depths[position] ?? 0;
  const positions = [...orphans.keys()].sort((a, b) => depthAt(b) - depthAt(a) || a - b);
  for (const batch of chunksOf(positions, size)) {
    yield batch.sort((a, b) => a - b).flatMap((position) => orphans[position] ?? []);
  }
}

/** For each value, the length of the chain of splices below it. Values of a cycle, which only damage can cause, have any. */
function depthsOf(orphans: readonly ChainedValue[]): number[] {
  const positionOf = new Map(orphans.map(({ channel, version }, at) => [rowKey(channel, version), at]));
  const depths: (number | undefined)[] = [];
  for (const start of orphans.keys()) {
    const chain = new Set<number>();
    let at: number | undefined = start;
    while (at !== undefined && depths[at] === undefined && !chain.has(at)) {
      chain.add(at);
      const { channel, base }: Partial<ChainedValue> = orphans[at] ?? {};
      at = typeof base === "string" ? positionOf.get(rowKey(channel ?? "", base)) : undefined;
    }
    let depth = at === undefined ? -1 : (depths[at] ?? -1);
    for (const position of [...chain].reverse()) depths[position] = ++depth;
  }
  return depths.map((depth) => depth ?? 0);
}
