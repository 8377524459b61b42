import { retry } from "../async/retry.js";
import type { CallContext } from "../call-context.js";
import { RECONNECT_PAUSES } from "../listening/listener.js";
import { isTransient } from "./retry-transient.js";

/** Retries transient errors without a bound: a watch lasts longer than the retries of one call. */
export function untilReachable<T>({ policy, signal }: CallContext, read: () => Promise<T>): Promise<T> {
  const afterError = (error: unknown): boolean => policy.retry !== false && isTransient(error);
  return retry(read, { pauseMs: RECONNECT_PAUSES, signal, afterError });
}
