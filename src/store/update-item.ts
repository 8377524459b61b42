import { growingPauses, retry } from "../db/async/retry.js";
import { VersionConflictError } from "../errors/store-errors.js";
import type { ItemValue, StoreItem } from "./model/item.js";

/** How often an update is tried, in all, while others write the item. */
const MAX_ATTEMPTS = 20;
const PAUSES = /* @__PURE__ */ growingPauses(4, 200);

/** How an item is read and written. */
export interface ItemAccess<Value extends ItemValue> {
  readonly read: () => Promise<StoreItem<Value> | null>;
  readonly write: (value: Value, ifVersion: number) => Promise<void>;
}

/**
 * Replaces the value of an item by what a function makes of it. It starts again where another program has written the item meanwhile.
 *
 * @throws VersionConflictError after many attempts.
 */
export async function updateItem<Value extends ItemValue>(
  { read, write }: ItemAccess<Value>,
  change: (value: Value | undefined) => Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isWriting = false;
  const readAndWrite = async (): Promise<void> => {
    isWriting = false;
    const item = await read();
    const value = await change(item?.value);
    isWriting = true;
    await write(value, item?.version ?? 0);
  };
  await retry(readAndWrite, {
    pauseMs: PAUSES,
    signal,
    // The function may fail with a conflict of another item.
    afterError: (error, attempt) =>
      isWriting && error instanceof VersionConflictError && attempt < MAX_ATTEMPTS,
  });
}
