import { growingPauses, retry } from "../db/async/retry.js";
import { runInPlace, untilReached } from "../db/grouping/take-turn.js";
import type { Place } from "../db/grouping/turn-queues.js";
import { VersionConflictError } from "../errors/store-errors.js";
import type { ItemValue, StoreItem } from "./model/item.js";

/** How often an update is tried, in all, while others write the item. */
const MAX_ATTEMPTS = 20;
const PAUSES = /* @__PURE__ */ growingPauses(4, 200);

/** How an item is read and written. */
export interface ItemAccess<Value extends ItemValue> {
  readonly read: () => Promise<StoreItem<Value> | null>;
  /** @param isItsTurn - Whether the calls about the item wait for this one. */
  readonly write: (value: Value, ifVersion: number, isItsTurn: boolean) => Promise<void>;
  /** The place of the update among the calls about the item. */
  readonly place: Place | undefined;
}

/**
 * Replaces the value of an item by what a function makes of it. It starts again where another program has written the item meanwhile, or
 * another call while the function took its time.
 *
 * @throws VersionConflictError after many attempts.
 */
export async function updateItem<Value extends ItemValue>(
  { read, write, place }: ItemAccess<Value>,
  change: (value: Value | undefined) => Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isWriting = false;
  const readAndWrite = async (): Promise<void> => {
    isWriting = false;
    const item = await read();
    const value = await runInPlace(place, () => change(item?.value));
    isWriting = true;
    await write(value, item?.version ?? 0, place?.hasLeft() === false);
  };
  try {
    if (place !== undefined) await untilReached({ signal }, place);
    await retry(readAndWrite, {
      pauseMs: PAUSES,
      signal,
      // The function may fail with a conflict of another item.
      afterError: (error, attempt) =>
        isWriting && error instanceof VersionConflictError && attempt < MAX_ATTEMPTS,
    });
  } finally {
    place?.leave();
  }
}
