import type { CallContext } from "../call-context.js";
import type { TurnScope } from "./held-turn.js";
import type { Place } from "./turn-queues.js";

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
