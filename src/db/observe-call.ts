import type { ObservedOperation } from "../telemetry/telemetry.js";
import { noop } from "./async/noop.js";
import type { CallContext } from "./call-context.js";

/**
 * The operations of a class, each with the first table that it uses, and ` only` behind it where it uses no other. Metrics are
 * kept per operation and table, so both are few.
 */
export function observedOperations<Name extends string>(
  operations: Readonly<Record<Name, string>>,
): Readonly<Record<Name, ObservedOperation>> {
  return Object.fromEntries(
    Object.entries<string>(operations).map(([operation, use]): [string, ObservedOperation] => {
      const [target = "", only] = use.split(" ");
      return [operation, { operation, target, isOnlyTable: only !== undefined }];
    }),
  ) as Readonly<Record<Name, ObservedOperation>>;
}

/**
 * Runs one call, or one part of a call that lasts, such as a page of a list. It is observed where telemetry is active.
 *
 * @param work - Called before this function returns.
 */
export function observeCall<Call extends CallContext, T>(
  base: Call,
  operation: ObservedOperation,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  if (base.telemetry === undefined) return work(base);
  return base.telemetry.observe(operation, (observer) =>
    work(observer === undefined ? base : { ...base, observer }),
  );
}

/**
 * Checks the arguments of a call that is observed in parts, or not at all. A refusal counts as a failed call, as in {@link observeCall}.
 *
 * @param check - Called at once. It throws to refuse the call.
 */
export function observeRefusal<T>(base: CallContext, operation: ObservedOperation, check: () => T): T {
  try {
    return check();
  } catch (error) {
    observeCall(base, operation, () => Promise.reject(error as Error)).catch(noop);
    throw error;
  }
}
