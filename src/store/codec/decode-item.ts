import { DeserializationError } from "../../errors/index.js";
import { describeItem } from "../../errors/store-errors.js";
import type { ItemContext } from "../../serde/serde-context.js";
import type { FoundItem, StoreItem } from "../model/item.js";
import type { Sealing } from "../model/sealing.js";
import type { ItemRow } from "../queries/item-columns.js";
import { decodeItemValue } from "./item-value.js";
import { toNamespace } from "./item-namespace-text.js";

/**
 * Decodes a row of `store`.
 *
 * @throws DeserializationError naming the item, for a value that can't be read.
 */
export async function decodeItem(row: ItemRow, sealing: Sealing | undefined): Promise<StoreItem> {
  const place = { namespace: toNamespace(row.prefix), key: row.key };
  return {
    value: await valueOf(row, place, sealing),
    ...place,
    createdAt: new Date(Number(row.created_ms)),
    updatedAt: new Date(Number(row.updated_ms)),
    version: Number(row.version),
    ...(row.expires_ms !== null && { expiresAt: new Date(Number(row.expires_ms)) }),
  };
}

/** Decodes a row that a search has found. */
export async function decodeFound(
  row: ItemRow & { readonly score: number | null },
  sealing: Sealing | undefined,
): Promise<FoundItem> {
  const item = await decodeItem(row, sealing);
  return row.score === null ? item : { ...item, score: row.score };
}

async function valueOf(
  { value }: ItemRow,
  place: ItemContext,
  sealing: Sealing | undefined,
): Promise<Record<string, unknown>> {
  try {
    const decoded = decodeItemValue(value, place, sealing);
    return decoded instanceof Promise ? await decoded : decoded;
  } catch (cause) {
    if (!(cause instanceof DeserializationError)) throw cause;
    throw new DeserializationError(`${describeItem(place)}: ${cause.message}`, {
      cause,
      typeTag: cause.typeTag,
    });
  }
}
