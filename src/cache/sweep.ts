import { runTransaction } from "../db/statements/run-statement.js";
import type { BoundStatement } from "../db/statements/statement.js";
import type { CacheCall } from "./cache-call.js";
import { scopeRange } from "./codec/namespace-text.js";
import { evictEntries } from "./queries/evict-entries.js";
import { sweepEntries } from "./queries/sweep-entries.js";

/** The entries of one transaction. */
const BATCH = 1_000;

/** Deletes all entries that have expired or are too many, in bounded transactions. Returns their number. */
export async function sweep(call: CacheCall): Promise<number> {
  const { schema, settings } = call;
  const expired = await deleteInBatches(call, sweepEntries(schema, BATCH));
  if (settings.maxEntries === null && settings.maxBytes === null) return expired;
  const range = scopeRange(settings.scope);
  return expired + (await deleteInBatches(call, evictEntries(schema, range, settings, BATCH)));
}

async function deleteInBatches(call: CacheCall, statement: BoundStatement<unknown>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [rows = []] = await runTransaction(call, { statements: [statement] });
    deleted += rows.length;
    if (rows.length < BATCH) return deleted;
  }
}
