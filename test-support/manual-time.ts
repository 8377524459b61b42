import { executionAsyncResource } from "node:async_hooks";
import { jest } from "@jest/globals";
import { noop } from "../src/db/async/noop.js";

interface ManualTimer {
  readonly due: number;
  /** The stack of the code that set it, and of what had set the timer that this code ran by. */
  readonly setBy: string;
  readonly run: () => void;
}

/** No timer of Node.js can wait longer. */
const FOR_EVER_MS = 2 ** 31 - 1;
/** The class of timers, which Node.js does not export. */
const Timeout = clearedTimer().constructor;

function clearedTimer(): NodeJS.Timeout {
  const timer = setTimeout(noop);
  clearTimeout(timer);
  return timer;
}

/** Time that passes only when a test says so: `setTimeout`, `clearTimeout` and `performance.now` of this process. */
export class ManualTime {
  readonly #timers = new Map<NodeJS.Timeout, ManualTimer>();
  #now = 0;
  #firing = "";
  #restore = noop;

  /** The time in milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** When each timer that has not fired is due. */
  get timers(): readonly number[] {
    return [...this.#timers.values()].map(({ due }) => due);
  }

  /** When each timer is due that code of a folder has set, and not what an earlier test file left under way in this process. */
  timersOf(folder: string): readonly number[] {
    return [...this.#timers.values()].filter(({ setBy }) => setBy.includes(folder)).map(({ due }) => due);
  }

  /** Replaces the time of the process until {@link stop} is called. */
  start(): void {
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    const setManually = (run: () => void, ms = 0): NodeJS.Timeout => {
      // A timer of an earlier test file, which shares this process, may fire now and set the next one.
      if (executionAsyncResource() instanceof Timeout) return set(run, ms);
      // It never fires: it is what a caller of setTimeout gets.
      const handle = set(noop, FOR_EVER_MS).unref();
      this.#timers.set(handle, { due: this.#now + ms, run, setBy: `${new Error().stack}${this.#firing}` });
      return handle;
    };
    const clearManually = (handle: Parameters<typeof clear>[0]): void => {
      if (typeof handle === "object") this.#timers.delete(handle);
      clear(handle);
    };
    const spies = [
      jest.spyOn(globalThis, "setTimeout").mockImplementation(Object.assign(setManually, set)),
      jest.spyOn(globalThis, "clearTimeout").mockImplementation(clearManually),
      jest.spyOn(performance, "now").mockImplementation(() => this.#now),
    ];
    this.#restore = () => {
      for (const spy of spies) spy.mockRestore();
    };
  }

  stop(): void {
    this.#restore();
    this.#restore = noop;
    for (const handle of this.#timers.keys()) clearTimeout(handle);
    this.#timers.clear();
  }

  /** Lets time pass. The timers that become due fire in their order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (let due = this.#dueBy(end); due !== undefined; due = this.#dueBy(end)) {
      this.#now = due.timer.due;
      this.#fire(due.handle, due.timer);
    }
    this.#now = end;
  }

  /** Lets time pass while the process is frozen, or busy with one piece of code. The timers that become due fire late, one after the other. */
  freeze(ms: number): void {
    this.#now += ms;
    const late = [...this.#timers].filter(([, { due }]) => due <= this.#now);
    for (const [handle, timer] of late.sort(([, a], [, b]) => a.due - b.due))
      if (this.#timers.has(handle)) this.#fire(handle, timer);
  }

  #fire(handle: NodeJS.Timeout, { run, setBy }: ManualTimer): void {
    clearTimeout(handle);
    this.#firing = setBy;
    run();
    this.#firing = "";
  }

  #dueBy(end: number): { readonly handle: NodeJS.Timeout; readonly timer: ManualTimer } | undefined {
    const [first] = [...this.#timers].sort(([, a], [, b]) => a.due - b.due);
    return first === undefined || first[1].due > end ? undefined : { handle: first[0], timer: first[1] };
  }
}
