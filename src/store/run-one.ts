import type { StoreOperation, GetOperation, SearchOperation, WriteOperation } from "./operations.js";
import { runOperations, storeItemWrites } from "./run-batch.js";
import {
  type StoreCall,
  type EncodedPut,
  type EncodedItemWrite,
  type WriteMember,
  sendAlone,
} from "./store-call.js";
import type { FoundItem, StoreItem, ItemValue } from "./item.js";
import { getItems } from "./queries/get-items.js";
import { searchItems } from "./queries/search-items.js";
import { toFoundItem, toItem, encodeWrite } from "./convert-items.js";
import { AsyncResource } from "node:async_hooks";
import { itemId, isOfScope } from "./queries/item-rows.js";
import { growingPauses, retry } from "../db/async/retry.js";
import { runInPlace, untilReached, holdTurn, takeTurn } from "../db/grouping/take-turn.js";
import type { Place } from "../db/grouping/turn-queues.js";
import { VersionConflictError } from "../errors/store-errors.js";
import { deleteBy, deleteInBatches } from "../db/statements/delete-in-batches.js";
import { deleteScope } from "./queries/delete-items.js";

/** Runs the operation of a call. */
export async function runOne(call: StoreCall, operation: StoreOperation): Promise<unknown> {
  if (operation.kind === "get") return readItem(call, operation);
  if (operation.kind === "search" && operation.vector === undefined) return findItems(call, operation);
  const isUnconditional =
    operation.kind === "delete" || (operation.kind === "put" && operation.expectedVersion === undefined);
  if (isUnconditional) return writeItem(call, operation);
  const [result] = await runOperations(call, [operation]);
  return result;
}

/** Reads an item: at once, or together with those that are read at the same time. */
async function readItem(call: StoreCall, operation: GetOperation): Promise<StoreItem | null> {
  if (call.ready !== undefined) await call.ready;
  const alone = () => sendAlone(call, getItems(call.schema, [operation], operation.refreshes));
  const { groups, signal, observer, progress } = call;
  // A read that starts the time of an item again locks it.
  const gets = operation.refreshes ? undefined : groups?.gets;
  const [row] = await (gets === undefined
    ? alone()
    : gets.read({ item: operation, signal, observer, progress, alone }));
  return row === undefined ? null : toItem(call, row);
}

/** Finds items by something else than their vectors: at once, or together with other searches where the connections are in use. */
export async function findItems(call: StoreCall, operation: SearchOperation): Promise<FoundItem[]> {
  if (call.ready !== undefined) await call.ready;
  const search = { ...operation, vector: undefined };
  const alone = () => sendAlone(call, searchItems(call.schema, search));
  const { groups, signal, observer, progress } = call;
  const searches = operation.refreshes ? undefined : groups?.searches;
  const rows = await (searches === undefined
    ? alone()
    : searches.read({ search, signal, observer, progress, alone }));
  return Promise.all(rows.map((row) => toFoundItem(call, row)));
}

/** A write that stores more is sent by itself, in characters. */
const MAX_SHARED_LENGTH = 64 * 1_024;

/**
 * Stores or deletes an item whatever its version, in the order of the calls about this item: at once, or together with calls that are made
 * at the same time. The value is encoded before this function first awaits.
 */
async function writeItem(call: StoreCall, operation: WriteOperation): Promise<void> {
  const { vectors } = call.settings;
  await takeTurn<StoreCall, EncodedItemWrite, WriteMember>(call, call.groups?.writes, {
    key: itemId(operation),
    encode: async () => {
      const encoded = encodeWrite(call, operation);
      // The first error ends the call.
      if (call.ready !== undefined) await Promise.all([encoded, call.ready]);
      return encoded;
    },
    memberOf: (given) => {
      const write = vectors === undefined || given.kind === "delete" ? given : ofCaller(given);
      const length = write.kind === "put" ? write.row.value.length : 0;
      // A call with a signal is sent by itself, so that the server can cancel it alone.
      return { write, length, mayShare: call.signal === undefined && length <= MAX_SHARED_LENGTH };
    },
    store: (within, write) => storeItemWrites(within, [write]),
  });
}

/** Keeps the async context of the caller, in which its texts are embedded. */
function ofCaller(put: EncodedPut): EncodedPut {
  return { ...put, embedded: { ...put.embedded, caller: new AsyncResource("EmbeddedItem") } };
}

/** How often an update is tried, in all, while others write the item. */
const MAX_ATTEMPTS = 20;
const PAUSES = growingPauses(4, 200);

/** How an item is read and written. */
interface ItemAccess<Value extends ItemValue> {
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

/** The items of one transaction. */
const BATCH = 1_000;

/**
 * Deletes the items of a namespace and those below it, in bounded transactions. Returns their number. Writes of these items that are called
 * meanwhile wait for it.
 */
export function deleteNamespace(call: StoreCall, prefix: string): Promise<number> {
  const covers = (id: string): boolean => isOfScope(id, prefix);
  return holdTurn(call, call.groups?.writes, { covers }, async () => {
    if (call.ready !== undefined) await call.ready;
    const statement = deleteScope(call.schema, prefix, BATCH, call.settings.channel);
    return deleteInBatches(deleteBy(call, statement), BATCH);
  });
}
