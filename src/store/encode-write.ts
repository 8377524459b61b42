import { checkedValue } from "./checked-value.js";
import { itemData } from "./codec/item-data.js";
import { encodeItemValue } from "./codec/item-value.js";
import type { EncodedPut, EncodedWrite } from "./encoded-write.js";
import { itemTexts } from "./embeddings/item-texts.js";
import type { PutOperation, WriteOperation } from "./operations.js";
import type { StoreCall } from "./store-call.js";

/**
 * Encodes an operation that stores or deletes an item.
 *
 * @throws ItemSchemaError, SerializationError for a value that can't be stored.
 */
export async function encodeWrite(call: StoreCall, operation: WriteOperation): Promise<EncodedWrite> {
  return operation.kind === "put" ? encodePut(call, operation) : operation;
}

/** Encodes an item to store; see {@link encodeWrite}. */
export async function encodePut(call: StoreCall, operation: PutOperation): Promise<EncodedPut> {
  const { prefix, namespace, key, ttlMinutes, paths, choosesPaths } = operation;
  const { sealing, vectors, rules } = call.settings;
  // Without a schema the value is read before this function first awaits: the caller may change it afterwards.
  const checked = rules.isEmpty ? operation.value : await checkedValue(call, operation);
  const value = await encodeItemValue(checked, { namespace, key }, sealing);
  const texts = vectors === undefined ? [] : itemTexts(itemData(checked, "value"), paths);
  return {
    kind: "put",
    ...{ prefix, key },
    row: { prefix, key, ttlMinutes, value },
    embedded: { prefix, key, texts, choosesPaths },
  };
}
