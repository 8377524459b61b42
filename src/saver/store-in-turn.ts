import { orAborted } from "../db/statements/cancellation.js";
import { DatabaseError } from "../errors/index.js";
import type { SaverCall } from "./call/saver-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { bytesOf, mayShare, type StoredCall } from "./grouping/group-content.js";

/** How a call is encoded and stored. */
export interface StoringCall<Operation extends BatchOperation> {
  readonly threadId: string;
  /** Encodes the call. It is called at once. */
  readonly encode: () => Promise<Operation>;
  /** Stores the call by itself. */
  readonly store: (call: SaverCall, operation: Operation) => Promise<void>;
}

/**
 * Encodes a call and stores it, in the order of the calls on its thread: at once, or together with calls that are made at the same
 * time. Where its signal aborts before it is encoded, the calls behind it don't wait for its serializer (C16).
 */
export async function storeInTurn<Operation extends BatchOperation>(
  call: SaverCall,
  { threadId, encode, store }: StoringCall<Operation>,
): Promise<Operation> {
  const turn = call.groups?.enter(threadId);
  let operation: Operation;
  try {
    operation = await orAborted(encode(), call.signal);
  } catch (error) {
    turn?.leave();
    throw error;
  }
  await (turn === undefined ? store(call, operation) : turn.run(groupedCall(call, operation, store)));
  return operation;
}

function groupedCall<Operation extends BatchOperation>(
  call: SaverCall,
  operation: Operation,
  store: StoringCall<Operation>["store"],
): StoredCall {
  const { signal, observer, policy } = call;
  const member = { operation, bytes: bytesOf(operation), signal };
  return {
    ...member,
    mayShare: mayShare(member),
    timeoutMs: policy.statementTimeoutMs,
    send: (bounds) => store(bounds === undefined ? call : { ...call, ...bounds }, operation),
    afterGroup: (failure) => {
      if (!(failure instanceof DatabaseError && failure.transient)) return;
      if (policy.retry === false) throw failure;
      observer?.retrying({ failure, attempt: 2, delayMs: 0 });
    },
  };
}
