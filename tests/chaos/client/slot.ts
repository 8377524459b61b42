import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { History, ThreadHistory } from "../checker/history.js";
import type { Digests } from "../journal/entry.js";
import type { Random } from "../random.js";

/** The parent of the next checkpoint. */
export interface Head {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
  readonly digests: Digests;
}

/** Makes the calls of one thread one after another. */
export class Slot {
  readonly number: number;
  readonly random: Random;
  readonly #history: History;
  /** The parent of the next checkpoint; `undefined` if the thread must be read first, or is empty. */
  head: Head | undefined;
  #thread: string;

  constructor(number: number, history: History, random: Random) {
    this.number = number;
    this.random = random;
    this.#history = history;
    this.#thread = history.slots.get(number) ?? `${number}.1`;
    if (this.known.isAbandoned) this.moveOn();
  }

  get thread(): string {
    return this.#thread;
  }

  /** What the thread must contain according to the acknowledged calls. */
  get known(): ThreadHistory {
    return this.#history.thread(this.#thread);
  }

  /** The current thread of any slot. */
  anyThread(): string {
    return this.random.pick([...this.#history.slots.values()]);
  }

  get config(): RunnableConfig {
    return { configurable: { thread_id: this.#thread, checkpoint_ns: "" } };
  }

  /** Switches to an unused thread. */
  moveOn(): void {
    const [, incarnation = "0"] = this.#thread.split(".");
    this.#thread = `${this.number}.${Number(incarnation) + 1}`;
    this.head = undefined;
  }
}
