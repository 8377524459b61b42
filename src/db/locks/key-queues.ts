import { onAbort } from "../async/on-abort.js";

/** Longer ones Node takes for 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Until when somebody stands in a queue. */
export interface QueueWait {
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** How the head of a queue leaves it, which is to be called once. */
export type Leave = () => void;

/** Queues of this process, one for each key: who is at the head has the key until it leaves. */
export class KeyQueues {
  /** Those behind the head. */
  readonly #waiting = new Map<bigint, (() => void)[]>();

  /**
   * Waits until nobody is in front.
   *
   * @returns `undefined` when the wait is over.
   * @throws the signal's reason when it aborts.
   */
  async enter(key: bigint, wait: QueueWait): Promise<Leave | undefined> {
    wait.signal.throwIfAborted();
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, []);
    else if (!(await waitInTurn(waiting, wait))) return undefined;
    return () => {
      this.#leave(key);
    };
  }

  #leave(key: bigint): void {
    const next = this.#waiting.get(key)?.shift();
    if (next === undefined) this.#waiting.delete(key);
    else next();
  }
}

function waitInTurn(waiting: (() => void)[], { deadline, signal }: QueueWait): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      stopListening();
    };
    const onTurn = (): void => {
      stop();
      resolve(true);
    };
    const stepOut = (): void => {
      stop();
      waiting.splice(waiting.indexOf(onTurn), 1);
    };
    const left = Math.max(0, deadline - performance.now());
    const timer =
      left > MAX_TIMER_MS
        ? undefined
        : setTimeout(() => {
            stepOut();
            resolve(false);
          }, left);
    waiting.push(onTurn);
    const fail: (reason: unknown) => void = reject;
    const stopListening = onAbort(signal, (reason) => {
      stepOut();
      fail(reason);
    });
  });
}
