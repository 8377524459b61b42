import { setTimeout as sleep } from "node:timers/promises";
import { Client, type Thread } from "./client.js";
import type { LoadOptions } from "./options.js";
import { approve } from "./supervisor.js";
import type { Tally } from "./tally.js";

const TURNS_OF_A_THREAD = 8;
/** A pause before a call is made again: at least half of it, and the rest at random. */
const RETRY_PAUSE_MS = 400;
/** A user who waits for so many times the bound goes away. */
const PATIENCE = 3;

/** A user who talks to the assistant, one turn after the other, each until it is acknowledged. */
export class User {
  readonly #options: LoadOptions;
  readonly #customer: string;
  readonly #client: Client;
  readonly #tally: Tally;
  /** How many turns of each thread are acknowledged. */
  readonly #acknowledged = new Map<string, number>();

  constructor(options: LoadOptions, name: string, index: number, tally: Tally) {
    this.#options = options;
    this.#customer = `${name}-${index}`;
    this.#client = new Client(options.urls, this.#customer, tally, index);
    this.#tally = tally;
  }

  get threads(): number {
    return this.#acknowledged.size;
  }

  /** Talks until the time is up, and then takes a last turn. */
  async talk(until: number): Promise<void> {
    const { pauseMs } = this.#options;
    for (let number = 0; ; number++) {
      const thread = `thread-${number}`;
      for (let turn = 0; turn < TURNS_OF_A_THREAD; turn++) {
        const isLast = performance.now() > until;
        if (!(await this.#take(thread, turn))) {
          const left = JSON.stringify(await this.#look(thread));
          this.#tally.found(`${this.#customer}/${thread}: turn ${turn} never succeeded: ${left}`);
          return;
        }
        if (isLast) return;
        await sleep(pauseMs * (0.5 + Math.random()));
      }
    }
  }

  /** Checks that each acknowledged turn is in its thread, once and in order. */
  async check(): Promise<void> {
    for (const [thread, turns] of this.#acknowledged) {
      const found = await this.#look(thread);
      const expected = Array.from({ length: turns }, (_, turn) => [
        idOf(turn),
        `${idOf(turn)}:answer`,
      ]).flat();
      const ids = found?.messages.map(({ id }) => id).slice(0, expected.length);
      if (JSON.stringify(ids) !== JSON.stringify(expected)) {
        this.#tally.found(
          `${this.#customer}/${thread}: expected ${turns} turns, found ${JSON.stringify(ids)}`,
        );
      }
    }
  }

  async #look(thread: string): Promise<Thread | undefined> {
    const { boundMs } = this.#options;
    for (const begun = performance.now(); performance.now() - begun < boundMs;) {
      const found = await this.#client.look(thread, boundMs);
      if (found !== undefined) return found;
      await pause();
    }
    return undefined;
  }

  /** Takes a turn, with the approval of a person where one is asked. @returns Whether it was acknowledged. */
  async #take(thread: string, turn: number): Promise<boolean> {
    const { boundMs, token } = this.#options;
    const begun = performance.now();
    const message = { id: idOf(turn), text: textOf(turn, token !== undefined) };
    while (performance.now() - begun < PATIENCE * boundMs) {
      const reply = await this.#client.say(thread, message, boundMs);
      if (reply?.status === "answered") {
        this.#acknowledge(thread, turn, performance.now() - begun);
        return true;
      }
      if (reply?.status === "waiting") await this.#approve(thread);
      else await pause();
    }
    return false;
  }

  #acknowledge(thread: string, turn: number, waitMs: number): void {
    this.#acknowledged.set(thread, turn + 1);
    this.#tally.acknowledged(waitMs);
    if (waitMs <= this.#options.boundMs) return;
    this.#tally.found(`${this.#customer}/${thread}: turn ${turn} took ${Math.round(waitMs)} ms`);
  }

  async #approve(thread: string): Promise<void> {
    const { token = "", boundMs } = this.#options;
    try {
      await approve(this.#client.url, token, `${this.#customer}/${thread}`, boundMs);
      this.#tally.approved();
    } catch (error) {
      // The next turn of the loop finds out whether it was done.
      this.#tally.failed(`approval: ${error instanceof Error ? error.message : String(error)}`);
      await pause();
    }
  }
}

function idOf(turn: number): string {
  return `message-${turn}`;
}

function textOf(turn: number, mayRefund: boolean): string {
  if (turn === 0) return "Hello, my name is Ada";
  if (turn % 4 === 3 && mayRefund) return `Please refund order ${turn}${Math.floor(Math.random() * 50)}`;
  return `Tell me more about lamps, part ${turn}`;
}

function pause(): Promise<void> {
  return sleep(RETRY_PAUSE_MS * (0.5 + Math.random() / 2));
}
