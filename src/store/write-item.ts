import { storeInTurn } from "../db/grouping/store-in-turn.js";
import { encodeWrite } from "./encode-write.js";
import type { EncodedWrite } from "./encoded-write.js";
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
  await storeInTurn<StoreCall, EncodedWrite, WriteMember>(call, call.groups?.writes, {
    key: idOf(operation),
    encode: () => encodeWrite(call, operation),
    memberOf: (write) => {
      const length = write.kind === "put" ? write.row.value.length : 0;
      // A call with a signal is sent by itself, so that the server can cancel it alone.
      return { write, length, mayShare: call.signal === undefined && length <= MAX_SHARED_LENGTH };
    },
    store: (within, write) => storeWrites(within, [write]),
  });
}
