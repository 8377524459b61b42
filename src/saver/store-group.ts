import type { SaverCall } from "./call/saver-call.js";
import { writingThreads } from "./call/writing-threads.js";
import { type BatchOperation, threadOf } from "./codec/resolve-batch.js";
import { localOffers } from "./notifications/local-watches.js";
import { guardOf, storeBatch } from "./store-checkpoint.js";
import { storingOf } from "./storing-strategy.js";

/**
 * Stores the operations of several calls in one statement, or in one transaction where they are deletions or the saver has rules to
 * check (C14). Each namespace has at most one checkpoint among them.
 *
 * @returns Whether each operation was stored. A checkpoint is not where something that it requires is gone.
 */
export async function storeGroup(
  base: SaverCall,
  operations: readonly BatchOperation[],
): Promise<readonly boolean[]> {
  const call = writingThreads(base, () => operations.map(threadOf));
  if (operations.some(({ kind }) => kind === "deleteThread")) {
    await storeBatch(call, operations);
    return operations.map(() => true);
  }
  const offers = localOffers(call, operations);
  const guard = await guardOf(call, operations, { asGroup: true });
  const areStored = await (await storingOf(call)).store(call, operations, guard);
  // Those that were not stored offer their checkpoints when they are sent by themselves.
  offers.deliver(operations.filter((_, nth) => areStored[nth]));
  return areStored;
}
