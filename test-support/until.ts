import { setTimeout as pause } from "node:timers/promises";

const PAUSE_MS = 2;

/**
 * Waits until a condition holds, however long that takes. It pauses between the checks, because checks without a pause take
 * the CPU away from what the test waits for.
 *
 * @example
 * ```ts
 * await until(() => proxy.count === 1);
 * await until(async () => (await waitingBackends(database)).length > 0);
 * ```
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(PAUSE_MS);
}
