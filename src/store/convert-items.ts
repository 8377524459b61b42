import { itemData, encodeItemValue, decodeFound, decodeItem } from "./item-codec.js";
import type { EncodedPut, EncodedItemWrite, StoreCall } from "./store-call.js";
import { embeddedTexts, isKeyed } from "./embeddings/item-texts.js";
import type { PutOperation, WriteOperation } from "./operations.js";
import type { FoundItem, StoreItem } from "./item.js";
import { type StoreRow, toNamespace, type ItemKey } from "./queries/item-rows.js";
import type { FoundRow } from "./queries/search-items.js";
import { ItemSchemaError, describeItem } from "../errors/store-errors.js";

/**
 * Encodes an operation that stores or deletes an item.
 *
 * @throws ItemSchemaError, SerializationError for a value that can't be stored.
 */
export async function encodeWrite(call: StoreCall, operation: WriteOperation): Promise<EncodedItemWrite> {
  return operation.kind === "put" ? encodeItemPut(call, operation) : operation;
}

/** Encodes an item to store; see {@link encodeWrite}. */
export async function encodeItemPut(call: StoreCall, operation: PutOperation): Promise<EncodedPut> {
  const { prefix, namespace, key, ttlMinutes, paths, choosesPaths } = operation;
  const { sealing, vectors, rules } = call.settings;
  // Without a schema the value is read before this function first awaits: the caller may change it afterwards.
  const checked = rules.isEmpty ? operation.value : await checkedValue(call, operation);
  const value = await encodeItemValue(checked, { namespace, key }, sealing);
  const texts = vectors === undefined ? [] : embeddedTexts(itemData(checked, "value"), paths);
  return {
    kind: "put",
    ...{ prefix, key },
    row: { prefix, key, ttlMinutes, value },
    embedded: { prefix, key, texts, choosesPaths },
  };
}

/** Turns a row into the item that the caller of the store sees. */
export async function toItem(call: StoreCall, row: StoreRow): Promise<StoreItem> {
  return seen(call, await decodeItem(row, call.settings.sealing));
}

/** Turns a row that a search has found into the item that the caller of the store sees. */
export async function toFoundItem(call: StoreCall, row: FoundRow): Promise<FoundItem> {
  return seen(call, await decodeFound(row, call.settings.sealing));
}

/** The namespace as the caller of a scoped store sees it. */
export function withoutRoot({ settings }: StoreCall, namespace: readonly string[]): string[] {
  return namespace.slice(settings.root.length);
}

async function seen<Item extends StoreItem>(call: StoreCall, item: Item): Promise<Item> {
  const checked = call.settings.rules.isEmpty ? item : await checkedItem(call, item);
  return { ...checked, namespace: withoutRoot(call, checked.namespace) };
}

/**
 * The value of an item to store, as the schema of its namespace returns it.
 *
 * @throws ItemSchemaError for a value that does not fit, and for a schema that returns anything but an object.
 */
async function checkedValue(
  call: StoreCall,
  { namespace, key, value }: Pick<PutOperation, "namespace" | "key" | "value">,
): Promise<Record<string, unknown>> {
  const { schema } = call.settings.rules.of(namespace);
  if (schema === undefined) return value;
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new ItemSchemaError({ namespace, key }, result.issues);
  if (isKeyed(result.value)) return result.value;
  throw new ItemSchemaError({ namespace, key }, [{ message: "the schema returned no object" }]);
}

/** An item with its value as the schema of its namespace returns it; see {@link checkedValue}. */
async function checkedItem<Item extends StoreItem>(call: StoreCall, item: Item): Promise<Item> {
  return { ...item, value: await checkedValue(call, item) };
}

/** Names the items that a call writes, for the error where row-level security refuses one. */
export function writingItems(call: StoreCall, items: readonly ItemKey[]): StoreCall {
  return { ...call, written: () => items.map(rowOf) };
}

function rowOf({ prefix, key }: ItemKey) {
  const namespace = toNamespace(prefix);
  return { name: describeItem({ namespace, key }), tenant: namespace[0] };
}
