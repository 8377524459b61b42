import type { BenchServer } from "../bench-server.js";
import type { Saver, Subject } from "../subjects.js";

/** How much a scenario does. */
export interface Size {
  /** Only to see that it runs. */
  readonly quick: boolean;
}

/** One operation that both savers are timed at. */
export interface TimedCase {
  readonly name: string;
  /** How often each saver is timed. */
  readonly rounds: number;
  /** Whether the statements are sent by `pg` alone too. They must be the same ones, whoever takes the other turns. */
  readonly floor?: boolean;
  /** One of many that are alike: it gets a table of its own, and no bar in the plots. */
  readonly detail?: boolean;
  /** Stores, untimed, what the operation needs, and returns the operation. */
  prepare(saver: Saver): Promise<TimedOperation>;
}

/**
 * Makes the next call ready, untimed: a new checkpoint and its id, say, which a caller brings along. The saver that it is
 * given may be another than the one of `prepare`, on the same database.
 */
export type TimedOperation = (saver: Saver) => Call;

/** What is timed. */
export type Call = () => Promise<unknown>;

/** Cases that belong together. A new scenario is a file that makes one, and a line in `index.ts`. */
export interface TimedScenario {
  cases(size: Size): TimedCase[];
}

/** Threads that both savers carry on at once. */
export interface LoadCase {
  readonly name: string;
  readonly threads: number;
  /** How many steps each thread takes in a slice. */
  readonly steps: number;
  /** How many slices each saver is given. */
  readonly slices: number;
  /** Begins a thread, untimed, and returns what takes its next step. */
  begin(saver: Saver): Promise<TimedOperation>;
}

/** Loads that belong together. */
export interface LoadScenario {
  cases(size: Size): LoadCase[];
}

/** What a saver does, told rather than timed. */
export interface Fact {
  readonly name: string;
  readonly answer: string | number | boolean;
}

/** Facts that are found out alike for each saver. They come in the same order for both. */
export interface FactScenario {
  readonly name: string;
  observe(subject: Subject, server: BenchServer, size: Size): Promise<Fact[]>;
}

/** How much something takes, with the unit in its name; words where it did not come to that. */
export interface Amount {
  readonly name: string;
  readonly amount: number | string;
}

/** Amounts that are found out alike for each saver. They come in the same order for both. */
export interface AmountScenario {
  readonly name: string;
  observe(subject: Subject, server: BenchServer, size: Size): Promise<Amount[]>;
}
