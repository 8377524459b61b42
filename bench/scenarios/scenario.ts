import type { BenchServer } from "../bench-server.js";
import type { Saver, Subject } from "../subjects.js";

/** The amount of work of a scenario. */
export interface Size {
  /** Runs only a little, to see that it works. */
  readonly quick: boolean;
}

/** One timed operation of both savers. */
export interface TimedCase {
  readonly name: string;
  /** The number of timed runs of each saver. */
  readonly rounds: number;
  /**
   * Whether the floor takes part: the same statements, sent by `pg` alone. They must not depend on the turns of the
   * others.
   */
  readonly floor?: boolean;
  /** Whether it is one of many similar cases, which get a table of their own and no bar in the plots. */
  readonly detail?: boolean;
  /** Stores what the operation needs, untimed, and returns the operation. */
  prepare(saver: Saver): Promise<TimedOperation>;
}

/**
 * Prepares the next call, untimed: for example a new checkpoint and its id. The saver may be another one than that of
 * `prepare`, on the same database.
 */
export type TimedOperation = (saver: Saver) => Call;

/** The timed call. */
export type Call = () => Promise<unknown>;

/** Cases that belong together. A new scenario is a file that creates one, and a line in `index.ts`. */
export interface TimedScenario {
  cases(size: Size): TimedCase[];
}

/** Threads that each saver runs concurrently. */
export interface LoadCase {
  readonly name: string;
  readonly threads: number;
  /** The size of the pool. */
  readonly connections: number;
  /** The number of steps of each thread in a slice. */
  readonly steps: number;
  /** The number of slices of each saver. */
  readonly slices: number;
  /** Starts a thread, untimed, and returns a function that makes its next step. */
  begin(saver: Saver): Promise<TimedOperation>;
}

/** Loads that belong together. */
export interface LoadScenario {
  cases(size: Size): LoadCase[];
}

/** A fact about a saver, which is not timed. */
export interface Fact {
  readonly name: string;
  readonly answer: string | number | boolean;
}

/** Facts that are collected in the same way for each saver, in the same order. */
export interface FactScenario {
  readonly name: string;
  observe(subject: Subject, server: BenchServer, size: Size): Promise<Fact[]>;
}

/** An amount, with the unit in its name, or the reason where there is none. */
export interface Amount {
  readonly name: string;
  readonly amount: number | string;
}

/** Amounts that are measured in the same way for each saver, in the same order. */
export interface AmountScenario {
  readonly name: string;
  observe(subject: Subject, server: BenchServer, size: Size): Promise<Amount[]>;
}
