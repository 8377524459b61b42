import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 25;

/** A monotonic clock that all processes of the machine share, in milliseconds. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Calls `look` until it returns a value, or until `timeoutMs` have passed. */
export async function waitFor<T>(
  look: () => Promise<T | undefined> | T | undefined,
  timeoutMs: number,
): Promise<T | undefined> {
  const until = nowMs() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || nowMs() > until) return found;
    await sleep(LOOK_MS);
  }
}
