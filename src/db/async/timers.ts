import { noop } from "./noop.js";

/** How many parts a wait has. */
const SLICES = 8;
/** A short wait has fewer parts, in milliseconds. */
const SHORTEST_SLICE_MS = 5;
/** A timer that fires this much too late has waited for the event loop, in milliseconds. */
export const BLOCKED_MS = 20;
/** A timer may fire this much too early, in milliseconds: Node.js counts whole milliseconds. */
const EARLY_MS = 1;

/**
 * Calls `run` after a time during which the event loop has run. What passes while the process is frozen, or busy with one piece of code,
 * does not count: an answer may have arrived meanwhile that nobody could read. So what is late was not answered in time, as in a time
 * limit. Use it for whatever decides that, and `setTimeout` for what only comes later.
 *
 * The wait has several slices, and each counts its own length, however late its timer fires. What fires late at the end gets another slice,
 * to read an answer in parts or to send what waited for it. There are at most twice as many slices, so that a limit ends also where the loop
 * is always busy. Before `run`, the loop reads what has arrived.
 *
 * @param ms - In milliseconds. `Infinity` for no limit.
 * @param isBackground - Whether the process may end meanwhile. Default: false.
 * @returns A function that ends the wait.
 */
export function afterLoopTime(ms: number, run: () => void, isBackground = false): () => void {
  const slices = Math.min(SLICES, Math.max(1, Math.floor(ms / SHORTEST_SLICE_MS)));
  const sliceMs = ms / slices;
  if (sliceMs > MAX_TIMER_MS) return noop;
  let passed = 0;
  let dueAt = performance.now();
  // A number in Cloudflare Workers.
  let timer: NodeJS.Timeout | number;
  let turn: NodeJS.Immediate | undefined;
  const wait = (): void => {
    timer = setTimeout(tick, Math.max(0, dueAt - performance.now()));
    if (isBackground) unref(timer);
  };
  const waitForNext = (): void => {
    dueAt += sliceMs;
    wait();
  };
  function tick(): void {
    const now = performance.now();
    // Node.js counts from the beginning of the turn that has set the timer, which may have been a long one.
    if (now < dueAt - EARLY_MS) {
      if (typeof timer === "object") timer.refresh();
      else wait();
      return;
    }
    const isLate = now > dueAt + BLOCKED_MS;
    if (isLate) dueAt = now;
    passed++;
    if (passed < slices || (isLate && passed < 2 * slices)) waitForNext();
    else turn = setImmediate(run);
  }
  waitForNext();
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** The longest delay of a timer, in milliseconds. Node.js fires a longer one at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Lets the process end while a timer waits. A timer of Cloudflare Workers is a number, and holds no process. */
export function unref(timer: NodeJS.Timeout | number): void {
  if (typeof timer === "object") timer.unref();
}
