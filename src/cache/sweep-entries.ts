import type { OnDeleted } from "../db/scheduling/gentle-round.js";
import { sweepExpired } from "../db/scheduling/sweep-expired.js";
import { deleteBy, deleteInBatches } from "../db/statements/delete-in-batches.js";
import { inOneTransaction } from "../db/statements/run-statement.js";
import type { CacheCall } from "./cache-call.js";
import { scopeRange } from "./codec/entry-namespace-text.js";
import { evictEntries, sweepLockName, takeSweepLock } from "./queries/evict-entries.js";

/** The entries that one transaction evicts: more, since each one measures the whole cache first. */
const EVICTED = 5_000;

/** Deletes all entries that have expired or exceed the bounds, in bounded transactions. Returns their number. */
export async function sweepEntries(call: CacheCall, onDeleted?: OnDeleted): Promise<number> {
  const { schema, settings } = call;
  const table = { table: "cache_entries", scope: "namespace" } as const;
  const expired = await sweepExpired(call, table, sweepLockName(schema), onDeleted);
  if (settings.maxEntries === null && settings.maxBytes === null) return expired;
  return expired + (await deleteInBatches(() => evict(call), EVICTED, onDeleted));
}

/** Deletes some of the entries that exceed the bounds, unless another process does so at the same moment. */
function evict(call: CacheCall): Promise<readonly unknown[]> {
  const { schema, settings } = call;
  return inOneTransaction(call, async (within) => {
    const [lock] = await within.database.execute(takeSweepLock(schema));
    if (lock?.is_alone !== true) return [];
    return deleteBy(within, evictEntries(schema, scopeRange(settings.scope), settings, EVICTED))();
  });
}
