import { scopeOf, scopeRange } from "../../cache/codec/entry-namespace-text.js";
import type { EntryPlace } from "../../cache/model/entry.js";
import { clearEntries } from "../../cache/queries/clear-entries.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import type { CachePrefix } from "../api/cache.js";
import type { CallRun } from "../calls/call-definition.js";
import { deleteEntry } from "../queries/cache-rows.js";
import { cacheCallOf } from "./cache-call.js";

/** Deletes an entry. One that does not exist is no error. */
export async function deleteCacheEntry({ context, signal }: CallRun, place: EntryPlace): Promise<void> {
  await deleteEntry(await cacheCallOf(context, signal), place);
}

/** Deletes the entries of a namespace, as `clear` of the cache does. */
export async function clearNamespace({ context, signal }: CallRun, namespace: string): Promise<void> {
  const call = await cacheCallOf(context, signal);
  await runTransaction(call, { statements: [clearEntries(call.schema, [namespace])] });
}

/** Deletes the entries of all namespaces with a prefix, as `clear([])` of a cache with this `keyPrefix` does. */
export async function clearPrefix({ context, signal }: CallRun, prefix: CachePrefix): Promise<void> {
  const call = await cacheCallOf(context, signal);
  const scope = scopeOf(call.policy.tenantId ?? prefix.tenantId, prefix.keyPrefix);
  await runTransaction(call, { statements: [clearEntries(call.schema, [], scopeRange(scope))] });
}
