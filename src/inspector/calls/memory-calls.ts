import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { jsonObject } from "../../parsing/parse.js";
import { keyText, storedText } from "../../parsing/keys.js";
import { MAX_TTL_MINUTES } from "../../store/boundary/parse-options.js";
import type { FoundItem } from "../../store/item.js";
import type { ListedItem, ItemsQuery } from "../api/memory.js";
import { createItem, deleteItem, editableItem, editItem } from "../memory/edit-item.js";
import { deleteItems, viewItemSums } from "../memory/delete-items.js";
import { hasMemory, storeOf, type ReadingStore } from "../memory/item-stores.js";
import { getItemState } from "../queries/item-state.js";
import { valueNodeOf } from "../values/describe-value.js";
import { limitUpTo, storedLabels } from "./args.js";
import { doing, type ReadDefinitions, type WriteDefinitions } from "./call-definition.js";

const DEFAULT_NAMESPACES = 200;
const DEFAULT_ITEMS = 50;

const prefix = storedLabels;
const offset = z.int().min(0).optional();
const itemPlace = z.strictObject({ namespace: storedLabels, key: storedText });
const label = keyText.min(1, "must not be empty").regex(/^[^.]*$/, "must not contain a period");
const ownPlace = z.strictObject({ namespace: z.array(label).min(1, "must not be empty"), key: keyText });
const writtenPlace = ownPlace.refine(({ namespace: [root] }) => root !== "langgraph", {
  error: 'must not begin with "langgraph", which LangGraph keeps for itself',
  path: ["namespace"],
});
const ttl = z.number().positive().max(MAX_TTL_MINUTES);

export const memoryCalls: ReadDefinitions<
  "memory" | "memoryNamespaces" | "items" | "itemSums" | "item" | "editableItem"
> = {
  memory: {
    args: z.strictObject({}),
    run: async ({ context, signal }) => {
      const writesAsApplication = context.store !== undefined && context.itemWriter === undefined;
      const exists = await hasMemory(context, signal);
      const hasVectors = exists && (await storeOf(context, signal)).hasVectors;
      return { exists, hasVectors, writesAsApplication };
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
      filter: jsonObject.optional(),
      offset,
      limit: limitUpTo(200),
    }),
    run: async ({ context, signal }, args) => {
      const { limit = DEFAULT_ITEMS } = args;
      const found = await searchItems(await storeOf(context, signal), args, limit + 1, signal);
      return { items: found.slice(0, limit).map(rowOf), hasMore: found.length > limit };
    },
  },
  itemSums: {
    args: z.union([z.strictObject({ prefix: prefix.min(1) }), z.strictObject({ label })]),
    run: viewItemSums,
  },
  item: {
    args: itemPlace,
    run: async ({ context, signal }, { namespace, key }) => {
      const store = await storeOf(context, signal);
      const state = await getItemState(store.callWith(signal), { prefix: store.prefixOf(namespace), key });
      const { isSealed: _, ...facts } = state ?? missingItem();
      return facts;
    },
  },
  editableItem: {
    args: itemPlace,
    run: async (run, place) => (await editableItem(run, place)) ?? missingItem(),
  },
};

export const memoryChanges: WriteDefinitions<"createItem" | "editItem" | "deleteItem" | "deleteItems"> = {
  createItem: {
    action: "edit",
    args: writtenPlace.extend({ value: jsonObject, ttlMinutes: ttl.nullable().optional() }),
    run: doing(createItem),
  },
  editItem: {
    action: "edit",
    args: writtenPlace.extend({ value: jsonObject, version: z.int().min(1) }),
    run: doing(editItem),
  },
  deleteItem: { action: "delete", args: ownPlace, run: doing(deleteItem) },
  deleteItems: {
    action: "delete",
    args: z.strictObject({ namespace: prefix.min(1), items: z.int().min(0) }),
    run: deleteItems,
  },
};

function missingItem(): never {
  throw new InvalidConfigError("args.key", "there is no such item");
}

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

function rowOf({ namespace, key, createdAt, updatedAt, expiresAt, score, value }: FoundItem): ListedItem {
  return {
    ...{ namespace, key, createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() },
    ...(expiresAt !== undefined && { expiresAt: expiresAt.getTime() }),
    ...(score !== undefined && { score }),
    value: valueNodeOf(value),
  };
}
