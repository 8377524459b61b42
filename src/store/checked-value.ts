import { ItemSchemaError } from "../errors/store-errors.js";
import type { StoreItem } from "./model/item.js";
import type { PutOperation } from "./operations.js";
import type { StoreCall } from "./store-call.js";

/**
 * The value of an item to store, as the schema of its namespace returns it.
 *
 * @throws ItemSchemaError for a value that does not fit, and for a schema that returns anything but an object.
 */
export async function checkedValue(
  call: StoreCall,
  { namespace, key, value }: Pick<PutOperation, "namespace" | "key" | "value">,
): Promise<Record<string, unknown>> {
  const { schema } = call.settings.rules.of(namespace);
  if (schema === undefined) return value;
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) throw new ItemSchemaError({ namespace, key }, result.issues);
  if (isRecord(result.value)) return result.value;
  throw new ItemSchemaError({ namespace, key }, [{ message: "the schema returned no object" }]);
}

/** An item with its value as the schema of its namespace returns it; see {@link checkedValue}. */
export async function checkedItem<Item extends StoreItem>(call: StoreCall, item: Item): Promise<Item> {
  return { ...item, value: await checkedValue(call, item) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
