import { AsyncResource } from "node:async_hooks";
import { takeTurn } from "../db/grouping/take-turn.js";
import { encodeWrite } from "./encode-write.js";
import type { EncodedPut, EncodedWrite } from "./encoded-write.js";
import { idOf } from "./item-id.js";
import type { WriteMember } from "./item-groups.js";
import type { WriteOperation } from "./operations.js";
import { storeWrites } from "./run-batch.js";
import type { StoreCall } from "./store-call.js";

/** A write that stores more is sent by itself, in characters. */
const MAX_SHARED_LENGTH = 64 * 1_024;

/**
 * Stores or deletes an item whatever its version, in the order of the calls about this item: at once, or together with calls that are made
 * at the same time. The value is encoded before this function first awaits.
 */
export async function writeItem(call: StoreCall, operation: WriteOperation): Promise<void> {
  const { vectors } = call.settings;
  await takeTurn<StoreCall, EncodedWrite, WriteMember>(call, call.groups?.writes, {
    key: idOf(operation),
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
    store: (within, write) => storeWrites(within, [write]),
  });
}

/** Keeps the async context of the caller, in which its texts are embedded. */
function ofCaller(put: EncodedPut): EncodedPut {
  return { ...put, embedded: { ...put.embedded, caller: new AsyncResource("EmbeddedItem") } };
}
