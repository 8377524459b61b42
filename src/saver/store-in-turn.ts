import { DatabaseError } from "../errors/index.js";
import type { SaverCall } from "./call/saver-call.js";
import type { BatchOperation } from "./codec/resolve-batch.js";
import { CallGroups, type GroupedCall, type StoreTogether } from "./grouping/call-groups.js";
import { LOCK_TIMEOUT_MS, LockWaits } from "./grouping/lock-waits.js";
import { storeGroup } from "./store-group.js";

/**
 * Opens the groups for the calls of a saver.
 *
 * @param base - The context that each call of the saver starts from.
 * @returns `undefined` in a passed-in transaction, whose statements run one after another, and fail all together.
 */
export function openGroups(base: SaverCall): CallGroups | undefined {
  if (base.database.kysely.isTransaction) return undefined;
  // A group that fails is sent again call by call, and these are retried.
  const call = { ...base, lockTimeoutMs: LOCK_TIMEOUT_MS, policy: { ...base.policy, retry: false as const } };
  const storeTogether: StoreTogether = (calls) =>
    storeGroup(
      call,
      calls.map(({ operation }) => operation),
    );
  const { maxConnections } = base.database;
  // The only user of an embedded database finds no lock that another one holds.
  const isEmbedded = maxConnections === "embedded";
  const connections = isEmbedded ? 1 : maxConnections;
  return new CallGroups(storeTogether, connections, new LockWaits(isEmbedded ? Infinity : connections - 1));
}

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
 * time.
 */
export async function storeInTurn<Operation extends BatchOperation>(
  call: SaverCall,
  { threadId, encode, store }: StoringCall<Operation>,
): Promise<Operation> {
  const turn = call.groups?.enter(threadId);
  let operation: Operation;
  try {
    operation = await encode();
  } catch (error) {
    turn?.leave();
    throw error;
  }
  const send = (within: SaverCall): Promise<void> => store(within, operation);
  await (turn === undefined ? send(call) : turn.run(groupedCall(call, operation, send)));
  return operation;
}

function groupedCall(
  call: SaverCall,
  operation: BatchOperation,
  store: (call: SaverCall) => Promise<void>,
): GroupedCall {
  const { signal, observer, policy } = call;
  return {
    operation,
    signal,
    timeoutMs: policy.statementTimeoutMs,
    send: (bounds) => store(bounds === undefined ? call : { ...call, ...bounds }),
    afterGroup: (failure) => {
      if (!(failure instanceof DatabaseError && failure.transient)) return;
      if (policy.retry === false) throw failure;
      observer?.retrying({ failure, attempt: 2, delayMs: 0 });
    },
  };
}
