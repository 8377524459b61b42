import type { CallContext } from "../db/call-context.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { NamespaceKey } from "../saver/model/checkpoint-key.js";
import { dropOrphanedBlobs, lockBlobs, type OrphanRow } from "./queries/orphaned-blobs.js";
import { NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { inPortions } from "./in-portions.js";
import { readCommitted } from "./read-committed.js";

/** Each transaction reads all headers of the namespace again, and holds up nobody but those who store the same values again. */
const BLOBS_AT_ONCE = 10_000;

/**
 * Deletes the stored values of a namespace that no checkpoint refers to; yields what each transaction deleted.
 *
 * @param orphans - What nothing referred to when it was looked up.
 */
export async function* collectBlobs(
  call: CallContext,
  namespace: NamespaceKey,
  orphans: readonly OrphanRow[],
): AsyncGenerator<RowCounts> {
  for (const batch of inPortions(orphans, BLOBS_AT_ONCE)) yield dropBatch(call, namespace, batch);
}

async function dropBatch(
  call: CallContext,
  namespace: NamespaceKey,
  batch: readonly OrphanRow[],
): Promise<RowCounts> {
  const key = {
    ...namespace,
    channels: batch.map(({ channel }) => channel),
    versions: batch.map(({ version }) => version),
  };
  const guard = [{ statement: lockBlobs(call.schema, key), check: readCommitted }];
  const statements = [dropOrphanedBlobs(call.schema, key)];
  const [[dropped] = []] = await runTransaction(call, { guard, statements });
  return { ...NO_ROWS, ...dropped };
}
