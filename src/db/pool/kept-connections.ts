import type { Pool } from "pg";
import { afterLoopTime } from "../async/timers.js";
import type { StatementClient } from "./statement-client.js";

/** How long a call waits for a connection of another call before it opens a new one, in milliseconds. */
const OPENED_AFTER_MS = 2;

/**
 * Passes connections on from call to call. LangGraph makes the next call as soon as one has ended, and then keeps the process busy: the
 * pool would hand out the connection only afterwards. And a new connection takes several round trips, and plans each statement anew, while
 * one that is in use is mostly free after one.
 */
export class KeptConnections {
  readonly #pool: Pool;
  /** Connections that have just been used. They go back to the pool at the end of the turn. */
  readonly #kept: StatementClient[] = [];
  /** How many calls use a connection now. */
  #inUse = 0;
  readonly #waiting = new Set<(client: StatementClient) => void>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** How many connections are kept. */
  get count(): number {
    return this.#kept.length;
  }

  /**
   * Takes a connection: one that was kept, one that another call gives back, or one of the pool.
   *
   * @param connect - Takes one of the pool.
   */
  take(connect: () => Promise<StatementClient>): Promise<StatementClient> {
    const kept = this.#kept.pop();
    if (kept !== undefined) return Promise.resolve(kept);
    return this.#mayWait ? this.#wait(connect) : connect();
  }

  /** Notes that a call uses a connection. It must then be given back, or the call have {@link failed}. */
  use(): void {
    this.#inUse++;
  }

  /**
   * Gives the connection of a call that succeeded back: to a call that waits, or at the end of the turn to the pool. One that must not
   * be used again goes to the pool at once, which closes it.
   */
  giveBack(client: StatementClient): void {
    this.#inUse--;
    const [next] = this.#waiting;
    // Callers that wait for the pool have their turn first.
    if (client.isSpoiled || this.#pool.waitingCount > 0 || this.#pool.ending) client.release();
    else if (next === undefined) this.#keep(client);
    else next(client);
  }

  /** Gives the connection of a call that failed back to the pool, which looks at its state. */
  failed(client: StatementClient): void {
    this.#inUse--;
    client.release();
  }

  /** Whether the pool would open a connection, and another call may give one back before that. */
  get #mayWait(): boolean {
    const { idleCount, totalCount, options } = this.#pool;
    return this.#inUse > 0 && idleCount === 0 && totalCount < options.max;
  }

  #wait(connect: () => Promise<StatementClient>): Promise<StatementClient> {
    return new Promise((resolve, reject) => {
      const receive = (client: StatementClient): void => {
        stopTimer();
        this.#waiting.delete(receive);
        resolve(client);
      };
      const open = async (): Promise<void> => {
        const client = await connect();
        if (this.#waiting.has(receive)) receive(client);
        else client.release();
      };
      const stopTimer = afterLoopTime(OPENED_AFTER_MS, () => {
        // After an error nobody else is to give it a connection.
        open()
          .catch(reject)
          .finally(() => this.#waiting.delete(receive));
      });
      this.#waiting.add(receive);
    });
  }

  #keep(client: StatementClient): void {
    if (this.#kept.push(client) > 1) return;
    process.nextTick(() => {
      for (const one of this.#kept.splice(0)) one.release();
    });
  }
}

/**
 * The connections of a pool that are not used again. Whatever made one connection silent has probably silenced the others: each of them
 * would cost a caller its timeout.
 */
export class SuspectConnections {
  /** When the server last answered on a connection. */
  readonly #answeredAt = new WeakMap<object, number>();
  #suspectBefore = -Infinity;

  /** Notes that the server has answered on a connection. */
  answered(connection: object): void {
    this.#answeredAt.set(connection, performance.now());
  }

  /**
   * Notes that the server has fallen silent on a connection. Calls may notice in another order than they began.
   *
   * @param began - When the call began that got no answer, on the clock of `performance.now()`.
   */
  silentSince(began: number): void {
    this.#suspectBefore = Math.max(this.#suspectBefore, began);
  }

  /** Whether a connection last answered before another one fell silent. One that has not been used yet is not suspect. */
  has(connection: object): boolean {
    return (this.#answeredAt.get(connection) ?? Infinity) < this.#suspectBefore;
  }
}
