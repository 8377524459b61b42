import { takeTurn } from "../../db/grouping/take-turn.js";
import type { SaverCall } from "../call/saver-call.js";
import type { BatchOperation } from "../codec/resolve-batch.js";
import { bytesOf, type GroupMember, mayShare } from "../grouping/group-content.js";
import { store } from "./store.js";

/** How a call of a saver is encoded and stored. */
export interface StoringCall<Operation extends BatchOperation> {
  readonly threadId: string;
  /** Encodes the call. It is called at once. */
  readonly encode: () => Promise<Operation>;
  /** Stores the call by itself. Default: as {@link store} does. */
  readonly store?: (call: SaverCall, operation: Operation) => Promise<unknown>;
}

/** Encodes a call and stores it, in the order of the calls on its thread; see `src/db/grouping`. */
export function storeInTurn<Operation extends BatchOperation>(
  call: SaverCall,
  { threadId, encode, store: storeAlone = storeOne }: StoringCall<Operation>,
): Promise<Operation> {
  call.progress?.about({ threadId });
  return takeTurn<SaverCall, Operation, GroupMember>(call, call.groups, {
    key: threadId,
    encode,
    memberOf: (operation) => {
      const member = { operation, bytes: bytesOf(operation), signal: call.signal };
      return { ...member, mayShare: mayShare(member) };
    },
    store: storeAlone,
  });
}

function storeOne(call: SaverCall, operation: BatchOperation): Promise<unknown> {
  return store(call, [operation]);
}
