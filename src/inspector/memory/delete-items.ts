import { z } from "zod";
import { toNamespace } from "../../store/queries/item-rows.js";
import type { DeletedItems, ItemSums, ItemSumsQuery, NamespaceDeletion } from "../api/memory.js";
import type { CallRun } from "../calls/call-definition.js";
import { sumItems } from "../queries/item-sums.js";
import { RefusedError } from "../refused-error.js";
import { storeOf, writingStoreOf } from "./item-stores.js";

const texts = z.array(z.string());
/** How many namespaces are listed one by one. */
const MAX_NAMESPACES = 200;

/** Says what namespaces hold, with what has expired and is not swept yet. */
export async function viewItemSums({ context, signal }: CallRun, asked: ItemSumsQuery): Promise<ItemSums> {
  const store = await storeOf(context, signal);
  const root = store.prefixOf([]);
  const depth = toNamespace(root).length;
  const summed =
    "label" in asked ? { prefix: root, label: asked.label } : { prefix: store.prefixOf(asked.prefix) };
  const rows = await sumItems(store.callWith(signal), { ...summed, depth }, MAX_NAMESPACES + 1);
  return {
    items: rows[0]?.total ?? 0,
    namespaces: rows.slice(0, MAX_NAMESPACES).map(({ prefix, items, expired, keys }) => ({
      ...{ namespace: toNamespace(prefix).slice(depth), items, expired },
      keys: texts.parse(JSON.parse(keys)),
    })),
    hasMore: rows.length > MAX_NAMESPACES,
  };
}

/**
 * Deletes a namespace with those below it, if it holds as many items as the person was told.
 *
 * @throws RefusedError where the number of items is another one by now.
 */
export async function deleteItems(
  run: CallRun,
  { namespace, items }: NamespaceDeletion,
): Promise<DeletedItems> {
  const { context, signal } = run;
  const now = (await viewItemSums(run, { prefix: namespace })).items;
  if (now !== items) {
    const message = `the namespace has ${now} items by now, and not ${items}, so nothing was deleted`;
    throw new RefusedError(409, "ITEMS_CHANGED", message);
  }
  return { items: await writingStoreOf(context).deleteNamespace(namespace, { signal }) };
}
