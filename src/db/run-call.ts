import type { ObservedOperation } from "../telemetry/running-calls.js";
import { noop } from "./async/noop.js";
import type { CallContext } from "./call-context.js";

/** What observes a call, in its context. */
export type ObservableCall = Pick<CallContext, "telemetry" | "observer" | "progress">;

/**
 * Runs one call, or one part of a call that lasts, such as a page of a list. It is observed where telemetry is active, and
 * reported where it waits too long.
 *
 * @param work - Called before this function returns.
 */
export function runCall<Call extends ObservableCall, T>(
  base: Call,
  operation: ObservedOperation,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const { telemetry } = base;
  if (telemetry === undefined) return work(base);
  const progress = telemetry.began(operation);
  const observer = telemetry.observe(progress);
  const call = { ...base, progress, observer };
  const running = observer === undefined ? work(call) : observer.run(() => work(call));
  return running.finally(() => {
    telemetry.ended(progress);
  });
}

/**
 * Checks the arguments of a call that is observed in parts, or not at all. A refusal counts as a failed call, as in {@link runCall}.
 *
 * @param check - Called at once. It throws to refuse the call.
 */
export function checkCall<T>(base: ObservableCall, operation: ObservedOperation, check: () => T): T {
  try {
    return check();
  } catch (error) {
    runCall(base, operation, () => Promise.reject(error as Error)).catch(noop);
    throw error;
  }
}
