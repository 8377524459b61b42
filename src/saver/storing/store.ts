import type { GuardStep } from "../../db/statements/transaction-steps.js";
import { loadOnce } from "../../db/async/load-once.js";
import { ON_ONE_SERVER, placementOf } from "../../db/placement/placement.js";
import { statementBytesOf } from "../../db/call-context.js";
import { type SaverCall, writingThreads } from "../call/saver-call.js";
import { bytesOfValues } from "../codec/call-size.js";
import { type BatchOperation, threadOf } from "../codec/resolve-batch.js";
import { localOffers } from "../notifications/watch-channel.js";
import { storeEach } from "./store-each.js";
import type { GuardOptions } from "./write-guard.js";
import { takeTurn } from "../../db/grouping/take-turn.js";
import { bytesOf, type GroupMember, mayShare } from "../grouping/group-content.js";

// Most calls take neither a transaction of several statements nor checks.
const loadRows = loadOnce(() => import("./store-rows.js"));
const loadGuard = loadOnce(() => import("./write-guard.js"));
const NO_GUARD: readonly GuardStep[] = [];

/** Up to this many operations have a statement each, even where each is a round trip. */
const FEW = 8;

/**
 * Stores and deletes. A single operation is stored in one statement where it can be, and several as one: all of them or nothing, in one
 * transaction, where deletions come first. A checkpoint whose parent or base of a splice is gone is stored with all of its values.
 *
 * @param options - `asGroup`: the operations are calls of their own, which share what is sent (C14). Each namespace has at most one
 *   checkpoint among them. One that requires something that is gone is left out, and sent by itself later.
 * @returns Whether each operation was stored.
 * @throws CheckpointNotFoundError where a checkpoint must not be stored without its parent, and the parent is not stored.
 */
export async function store(
  base: SaverCall,
  operations: readonly BatchOperation[],
  { asGroup = false }: GuardOptions = {},
): Promise<readonly boolean[]> {
  const written = writingThreads(base, () => operations.map(threadOf));
  const call = mayDelete(base, operations) ? { ...written, withoutJit: true } : written;
  const offers = localOffers(call, operations);
  const isGroup = asGroup && operations.every(({ kind }) => kind !== "deleteThread");
  const guard = await guardOf(call, operations, { asGroup: isGroup });
  let areStored: readonly boolean[] | undefined;
  if (isGroup || isShort(call, operations)) areStored = await storeTogether(call, operations, guard);
  if (areStored === undefined || !(isGroup || areStored[0] === true)) {
    const { storeInTransaction } = await loadRows();
    await storeInTransaction(call, operations, guard);
    areStored = operations.map(() => true);
  }
  // Those that were not stored offer their checkpoints when they are sent by themselves.
  offers.deliver(operations.filter((_, nth) => areStored[nth]));
  for (const operation of operations) {
    if (operation.kind === "deleteThread") call.policy.memory?.forgetThread(operation.threadId);
  }
  return areStored;
}

/**
 * Whether rows of a whole thread or namespace may be deleted. How many it has is unknown, and in a large table Postgres expects so many that
 * it would compile the statements.
 */
function mayDelete({ policy }: SaverCall, operations: readonly BatchOperation[]): boolean {
  for (const { kind } of operations) {
    if (kind === "deleteThread" || (kind === "put" && policy.keepLast !== undefined)) return true;
  }
  return false;
}

/** Whether operations are a single one that one statement can store. */
function isShort(call: SaverCall, [operation, ...others]: readonly BatchOperation[]): boolean {
  if (operation === undefined || others.length > 0 || operation.kind === "deleteThread") return false;
  const values = operation.kind === "put" ? operation.checkpoint.blobs : operation.writes.writes;
  return bytesOfValues(values) <= statementBytesOf(call);
}

/** Stores a single operation, or a group, none of which is a deletion. */
async function storeTogether(
  call: SaverCall,
  operations: readonly BatchOperation[],
  guard: readonly GuardStep[],
): Promise<readonly boolean[]> {
  const placement = placementOf(call);
  const { isOnNodes } = placement === ON_ONE_SERVER ? placement : await placement;
  // A statement for each operation takes a round trip for each where they can't be sent together.
  if (!isOnNodes && (operations.length <= FEW || call.database.sendsTogether))
    return storeEach(call, operations, guard);
  const { storeGroup } = await loadRows();
  return storeGroup(call, operations, guard);
}

/** Returns the checks of the saver's rules, and no promise where a call has none. A batch may be about several threads, which are locked. */
function guardOf(
  call: SaverCall,
  operations: readonly BatchOperation[],
  options: GuardOptions,
): readonly GuardStep[] | Promise<readonly GuardStep[]> {
  const { concurrency, keepTombstones } = call.policy;
  const hasRules = concurrency === "optimistic" || keepTombstones === true;
  const isBatch = operations.length > 1 && options.asGroup !== true;
  return hasRules || isBatch
    ? loadGuard().then(({ writeGuard }) => writeGuard(call, operations, options))
    : NO_GUARD;
}

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
