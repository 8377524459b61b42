import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { History, ThreadHistory } from "../checker/history.js";
import type { Digests } from "../journal/entry.js";
import type { Random } from "../random.js";

/** Where the next checkpoint goes on from. */
export interface Head {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
  readonly digests: Digests;
}

/** Whoever makes the calls of one thread, one after the other. */
export class Slot {
  readonly number: number;
  readonly random: Random;
  readonly #history: History;
  /** The checkpoint that the next one succeeds; none where the thread has to be looked up, or is empty. */
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

  /** What must be in the thread, by all that was acknowledged. */
  get known(): ThreadHistory {
    return this.#history.thread(this.#thread);
  }

  get config(): RunnableConfig {
    return { configurable: { thread_id: this.#thread, checkpoint_ns: "" } };
  }

  /** Takes a thread that nobody has used. */
  moveOn(): void {
    const [, incarnation = "0"] = this.#thread.split(".");
    this.#thread = `${this.number}.${Number(incarnation) + 1}`;
    this.head = undefined;
  }
}
