import { onAbort } from "../async/on-abort.js";

/** The limits of a wait in a queue. */
export interface QueueWait {
  /** Aborts when the wait is over. */
  readonly over: AbortSignal;
  readonly signal: AbortSignal;
}

/** Leaves the queue as its head. Must be called once. */
export type Leave = () => void;

/**
 * Queues within this process, one for each key. The caller at the head of a queue owns the key until it
 * leaves.
 */
export class KeyQueues {
  /** The callers behind the head. */
  readonly #waiting = new Map<bigint, (() => void)[]>();

  /**
   * Waits until the caller is at the head of the queue.
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

function waitInTurn(waiting: (() => void)[], { over, signal }: QueueWait): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      for (const one of stops) one();
    };
    const onTurn = (): void => {
      stop();
      resolve(true);
    };
    const stepOut = (): void => {
      stop();
      waiting.splice(waiting.indexOf(onTurn), 1);
    };
    waiting.push(onTurn);
    const fail: (reason: unknown) => void = reject;
    const stops: (() => void)[] = [];
    stops.push(
      onAbort(over, () => {
        stepOut();
        resolve(false);
      }),
      onAbort(signal, (reason) => {
        stepOut();
        fail(reason);
      }),
    );
  });
}
