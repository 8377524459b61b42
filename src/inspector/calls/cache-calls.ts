import { z } from "zod";
import { keyText, storedText } from "../../parsing/keys.js";
import { clearNamespace, clearPrefix, deleteCacheEntry } from "../cache/delete-entries.js";
import { listCacheEntries, listNamespaces } from "../cache/read-entries.js";
import { limitUpTo } from "./args.js";
import type { ReadDefinitions, WriteDefinitions } from "./call-definition.js";

const entryPlace = z.strictObject({ namespace: storedText, key: storedText });

export const cacheCalls: ReadDefinitions<"cacheNamespaces" | "cacheEntries"> = {
  cacheNamespaces: {
    args: z.strictObject({ after: storedText.optional(), limit: limitUpTo(200) }),
    run: listNamespaces,
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
    deleteCacheEntry: {
      action: "delete",
      args: entryPlace,
      run: async (run, place) => {
        await deleteCacheEntry(run, place);
        return {};
      },
    },
    clearCacheNamespace: {
      action: "delete",
      args: entryPlace.omit({ key: true }),
      run: async (run, { namespace }) => {
        await clearNamespace(run, namespace);
        return {};
      },
    },
    clearCachePrefix: {
      action: "delete",
      args: z.strictObject({ tenantId: keyText.optional(), keyPrefix: keyText.optional() }),
      run: async (run, prefix) => {
        await clearPrefix(run, prefix);
        return {};
      },
    },
  };
