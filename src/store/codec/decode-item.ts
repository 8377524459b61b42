import { DeserializationError } from "../../errors/index.js";
import type { FoundItem, StoreItem } from "../model/item.js";
import type { ItemRow } from "../queries/item-columns.js";
import { decodeItemValue } from "./item-value.js";
import { toNamespace } from "./namespace-text.js";

/**
 * Decodes a row of `store`.
 *
 * @throws DeserializationError naming the item, for a value that can't be read.
 */
export async function decodeItem(row: ItemRow): Promise<StoreItem> {
  return {
    value: await valueOf(row),
    key: row.key,
    namespace: toNamespace(row.prefix),
    createdAt: new Date(row.created_ms),
    updatedAt: new Date(row.updated_ms),
    version: row.version,
    ...(row.expires_ms !== null && { expiresAt: new Date(row.expires_ms) }),
  };
}

/** Decodes a row that a search has found. */
export async function decodeFound(row: ItemRow & { readonly score: number | null }): Promise<FoundItem> {
  const item = await decodeItem(row);
  return row.score === null ? item : { ...item, score: row.score };
}

async function valueOf({ prefix, key, value }: ItemRow): Promise<Record<string, unknown>> {
  try {
    return await decodeItemValue(value);
  } catch (cause) {
    if (!(cause instanceof DeserializationError)) throw cause;
    const place = `item ${JSON.stringify(key)} of namespace ${JSON.stringify(toNamespace(prefix))}`;
    throw new DeserializationError(`${place}: ${cause.message}`, { cause, typeTag: "jsonb" });
  }
}
