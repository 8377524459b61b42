import type { OnDeleted } from "../db/scheduling/gentle-round.js";
import { deleteInBatches } from "../db/statements/delete-in-batches.js";
import type { CacheCall } from "./cache-call.js";
import { scopeRange } from "./codec/namespace-text.js";
import { evictEntries } from "./queries/evict-entries.js";
import { sweepEntries } from "./queries/sweep-entries.js";

/** The expired entries that one transaction deletes. */
const EXPIRED = 1_000;

/** The entries that one transaction evicts: more, since each one measures the whole cache first. */
const EVICTED = 5_000;

/** Deletes all entries that have expired or exceed the bounds, in bounded transactions. Returns their number. */
export async function sweep(call: CacheCall, onDeleted?: OnDeleted): Promise<number> {
  const { schema, settings } = call;
  const expired = await deleteInBatches(call, sweepEntries(schema, EXPIRED), EXPIRED, onDeleted);
  if (settings.maxEntries === null && settings.maxBytes === null) return expired;
  const range = scopeRange(settings.scope);
  const evict = evictEntries(schema, range, settings, EVICTED);
  return expired + (await deleteInBatches(call, evict, EVICTED, onDeleted));
}
