import { z } from "zod";
import { keyText } from "../../parsing/keys.js";
import type { FoundItem } from "../../store/model/item.js";
import type { ItemRow, ItemsQuery } from "../api/memory.js";
import { hasMemory, storeOf } from "../memory/store-of.js";
import type { ReadingStore } from "../memory/reading-store.js";
import { describeValue } from "../values/describe-value.js";
import { limitUpTo } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const DEFAULT_NAMESPACES = 200;
const DEFAULT_ITEMS = 50;

const label = keyText.min(1).regex(/^[^.]*$/, "must not contain a period");
const prefix = z.array(label);
const offset = z.int().min(0).optional();

export const memoryCalls: ReadDefinitions<"memory" | "memoryNamespaces" | "items"> = {
  memory: {
    args: z.strictObject({}),
    run: async ({ context, signal }) => {
      if (!(await hasMemory(context, signal))) return { exists: false, hasVectors: false };
      return { exists: true, hasVectors: (await storeOf(context, signal)).hasVectors };
    },
  },
  memoryNamespaces: {
    args: z.strictObject({ prefix, offset, limit: limitUpTo(500) }),
    run: async ({ context, signal }, args) => {
      const { limit = DEFAULT_NAMESPACES } = args;
      const store = await storeOf(context, signal);
      const maxDepth = args.prefix.length + 1;
      // One more tells whether there are others. The namespace itself, where it has items, comes first.
      const query = { prefix: args.prefix, maxDepth, offset: args.offset, limit: limit + 1, signal };
      const found = await store.listNamespaces(query);
      const namespaces = found.slice(0, limit).filter(({ length }) => length === maxDepth);
      return { namespaces, hasMore: found.length > limit };
    },
  },
  items: {
    args: z.strictObject({
      prefix,
      query: z.string().optional(),
      by: z.enum(["words", "meaning"]).optional(),
      filter: z.record(z.string(), z.unknown()).optional(),
      offset,
      limit: limitUpTo(200),
    }),
    run: async ({ context, signal }, args) => {
      const { limit = DEFAULT_ITEMS } = args;
      const found = await searchItems(await storeOf(context, signal), args, limit + 1, signal);
      return { items: found.slice(0, limit).map(rowOf), hasMore: found.length > limit };
    },
  },
};

function searchItems(
  store: ReadingStore,
  {
    prefix: namespace,
    query,
    filter,
    offset: skipped,
    by = store.hasVectors ? "meaning" : "words",
  }: ItemsQuery,
  limit: number,
  signal: AbortSignal,
): Promise<FoundItem[]> {
  return store.search(namespace, {
    ...{ query, filter, offset: skipped, limit, signal, refreshTtl: false },
    // With scores only: the other items are what a list without a query shows.
    ...{ mode: by === "words" ? "text" : "vector", unscored: false },
  });
}

function rowOf({ namespace, key, createdAt, updatedAt, score, value }: FoundItem): ItemRow {
  return {
    ...{ namespace, key, createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() },
    ...(score !== undefined && { score }),
    value: describeValue(value),
  };
}
