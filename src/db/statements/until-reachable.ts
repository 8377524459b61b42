import { setTimeout as pause } from "node:timers/promises";
import { DatabaseError } from "../../errors/index.js";
import { growingPauseMs } from "../async/growing-pause.js";
import type { CallContext } from "../call-context.js";
import { RECONNECT_PAUSES } from "../listening/listener.js";
import { throwIfAborted } from "./bounded-run.js";

/** Retries transient errors without a bound: a watch lasts longer than the retries of one call. */
export async function untilReachable<T>({ policy, signal }: CallContext, read: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await read();
    } catch (error) {
      const isTransient = error instanceof DatabaseError && error.transient;
      if (!isTransient || policy.retry === false) throw error;
      throwIfAborted(signal);
    }
    await pause(growingPauseMs(failures, RECONNECT_PAUSES), undefined, { signal });
  }
}
