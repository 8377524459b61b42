import { DatabaseError } from "../../errors/index.js";
import type { CallContext } from "../call-context.js";
import { orAborted } from "../statements/cancellation.js";
import type { CallGroups } from "./call-groups.js";
import type { GroupedCall } from "./group-rules.js";
import type { TurnScope, Place } from "./turn-queues.js";

/** How a call is encoded and stored. */
export interface StoringCall<Call, Encoded, Member> {
  /** The calls with one key are stored in the order in which they were made. */
  readonly key: string;
  /** Encodes the call. It is called at once. */
  readonly encode: () => Promise<Encoded>;
  /** Returns what the rules of the groups need to know of the call. */
  readonly memberOf: (encoded: Encoded) => Member & Pick<GroupedCall, "mayShare">;
  /** Stores the call by itself. */
  readonly store: (call: Call, encoded: Encoded) => Promise<unknown>;
}

/**
 * Encodes a call and stores it, in the order of the calls with its key: at once, or together with calls that are made at the same time.
 * Where its signal aborts before it is encoded, the calls behind it don't wait for its serializer (C16).
 *
 * @param groups - `undefined` where each call is sent by itself.
 */
export async function takeTurn<Call extends CallContext, Encoded, Member extends object>(
  call: Call,
  groups: CallGroups<Member & GroupedCall> | undefined,
  { key, encode, memberOf, store }: StoringCall<Call, Encoded, Member>,
): Promise<Encoded> {
  const turn = groups?.enter(key);
  let encoded: Encoded;
  try {
    encoded = await orAborted(encode(), call.signal);
  } catch (error) {
    turn?.leave();
    throw error;
  }
  if (turn === undefined) {
    await store(call, encoded);
    return encoded;
  }
  const { signal, observer, policy, progress } = call;
  progress?.waitsFor("turn");
  await turn.run({
    ...memberOf(encoded),
    signal,
    timeoutMs: policy.statementTimeoutMs,
    progress,
    send: async (bounds) => {
      await store(bounds === undefined ? call : { ...call, ...bounds }, encoded);
    },
    afterGroup: (failure) => {
      progress?.waitsFor("turn");
      if (!(failure instanceof DatabaseError && failure.transient)) return;
      if (policy.retry === false) throw failure;
      observer?.retrying({ failure, attempt: 2, delayMs: 0 });
    },
  });
  return encoded;
}

/** Where calls have their turns; see `CallGroups`. */
export interface Turns {
  hold(scope: TurnScope): Place;
}

type WaitingCall = Pick<CallContext, "signal" | "progress">;

/**
 * Runs a call that is sent by itself when all calls that were made before it about the same keys have ended. Those that are made later
 * wait for it.
 *
 * @param turns - `undefined` where calls have no order.
 * @throws AbortError as soon as the signal aborts the wait.
 */
export async function holdTurn<T>(
  call: WaitingCall,
  turns: Turns | undefined,
  scope: TurnScope,
  run: () => Promise<T>,
): Promise<T> {
  if (turns === undefined) return run();
  const place = turns.hold(scope);
  try {
    await untilReached(call, place);
    return await run();
  } finally {
    place.leave();
  }
}

/** Waits for the calls before a place. */
export async function untilReached({ signal, progress }: WaitingCall, place: Place): Promise<void> {
  if (place.isReached()) return;
  progress?.waitsFor("turn");
  await place.reached(signal);
}

/**
 * Runs a function of the caller in a turn, which other calls wait for. Where it takes longer than a turn of the event loop, it loses the
 * place: it may wait for one of these calls itself.
 *
 * @param mayKeep - Whether it keeps the place for one more turn. Default: never.
 */
export async function runInPlace<T>(
  place: Place | undefined,
  run: () => Promise<T> | T,
  mayKeep: () => boolean = () => false,
): Promise<T> {
  if (place === undefined) return run();
  let timer: NodeJS.Immediate | undefined;
  const look = (): void => {
    if (mayKeep()) timer = setImmediate(look);
    else place.leave();
  };
  timer = setImmediate(look);
  try {
    return await run();
  } finally {
    clearImmediate(timer);
  }
}
