import { timeInId } from "../../../src/saver/model/checkpoint-time.js";
import type { History } from "../checker/history.js";

/** Sets the clock of this process back to a time before the newest checkpoint that earlier ones have stored, however long its start took. */
export function setClockBack(history: History, behindMs: number): void {
  const ids = [...history.threads.values()].flatMap(({ newest }) => newest ?? []);
  const newest = timeInId(ids.sort().at(-1) ?? "")?.getTime();
  if (newest === undefined) return;
  const now = Date.now.bind(Date);
  const setBackMs = now() - (newest - behindMs);
  Date.now = () => now() - setBackMs;
}
