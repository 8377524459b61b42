import { setTimeout as pause } from "node:timers/promises";

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 32;

/**
 * Waits until a condition holds, however long that takes. It pauses between the checks, longer each time, because checks take the CPU
 * away from what the test waits for.
 *
 * @example
 * ```ts
 * await until(() => proxy.count === 1);
 * await until(async () => (await waitingBackends(database)).length > 0);
 * ```
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let ms = FIRST_PAUSE_MS; !(await condition()); ms = Math.min(2 * ms, LONGEST_PAUSE_MS))
    await pause(ms);
}
