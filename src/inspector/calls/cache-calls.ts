import { z } from "zod";
import { keyText, storedText } from "../../parsing/keys.js";
import { listCacheEntries, listCacheNamespaces } from "../cache/read-entries.js";
import { limitUpTo } from "./args.js";
import { type ReadDefinitions, type WriteDefinitions, type CallRun, doing } from "./call-definition.js";
import { cacheScope, scopeRange } from "../../cache/entry-place.js";
import { type EntryPlace, clearEntries } from "../../cache/queries/entries.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import type { CachePrefix } from "../api/cache.js";
import { deleteEntry } from "../queries/cache-rows.js";
import { cacheCallOf } from "../cache/cache-call.js";

const entryPlace = z.strictObject({ namespace: storedText, key: storedText });

export const cacheCalls: ReadDefinitions<"cacheNamespaces" | "cacheEntries"> = {
  cacheNamespaces: {
    args: z.strictObject({ after: storedText.optional(), limit: limitUpTo(200) }),
    run: listCacheNamespaces,
  },
  cacheEntries: {
    args: z.strictObject({
      ...{ namespace: storedText, key: storedText.optional() },
      ...{ offset: z.int().min(0).optional(), limit: limitUpTo(200) },
    }),
    run: listCacheEntries,
  },
};

export const cacheChanges: WriteDefinitions<"deleteCacheEntry" | "clearCacheNamespace" | "clearCachePrefix"> =
  {
    deleteCacheEntry: { action: "delete", args: entryPlace, run: doing(deleteCacheEntry) },
    clearCacheNamespace: {
      action: "delete",
      args: entryPlace.omit({ key: true }),
      run: doing(clearNamespace),
    },
    clearCachePrefix: {
      action: "delete",
      args: z.strictObject({ tenantId: keyText.optional(), keyPrefix: keyText.optional() }),
      run: doing(clearPrefix),
    },
  };

/** Deletes an entry. One that does not exist is no error. */
async function deleteCacheEntry({ context, signal }: CallRun, place: EntryPlace): Promise<void> {
  await deleteEntry(await cacheCallOf(context, signal), place);
}

/** Deletes the entries of a namespace, as `clear` of the cache does. */
async function clearNamespace(
  { context, signal }: CallRun,
  { namespace }: Pick<EntryPlace, "namespace">,
): Promise<void> {
  const call = await cacheCallOf(context, signal);
  await runTransaction(call, { statements: [clearEntries(call.schema, [namespace])] });
}

/** Deletes the entries of all namespaces with a prefix, as `clear([])` of a cache with this `keyPrefix` does. */
async function clearPrefix({ context, signal }: CallRun, prefix: CachePrefix): Promise<void> {
  const call = await cacheCallOf(context, signal);
  const scope = cacheScope(call.policy.tenantId ?? prefix.tenantId, prefix.keyPrefix);
  await runTransaction(call, { statements: [clearEntries(call.schema, [], scopeRange(scope))] });
}
