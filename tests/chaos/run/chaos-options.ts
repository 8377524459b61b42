import type { ClientOptions } from "../client/client-options.js";
import type { Fault } from "../faults/fault.js";
import type { Random } from "../random.js";

/** How a run is made. */
export interface ChaosOptions {
  /** Decides what the load does and what goes wrong when, as far as the machine's own timing lets it. */
  readonly seed: number;
  readonly saver: ClientOptions["saver"];
  /** Whether older checkpoints get a second successor; default `true`. */
  readonly forks?: boolean;
  /** What goes wrong, one after the other. */
  readonly faults: (random: Random) => Iterable<Fault>;
  /** The longest time without a fault between two of them, in milliseconds. */
  readonly calmMs: number;
  /** The longest time to wait for a load that does not go on, in milliseconds; default 20 s. */
  readonly giveUpMs?: number;
  /** Has the server acknowledge before it writes, which loses calls when it is killed: a checker must find that out. */
  readonly sabotage?: boolean;
  /** Told of each fault as it comes. */
  readonly onProgress?: (text: string) => void;
}

/** The load of every run: more threads than connections, so that the pool is always exhausted. */
export const LOAD = {
  slots: 24,
  poolSize: 6,
  connectionTimeoutMs: 2_000,
  statementTimeoutMs: 1_000,
} as const;

/** All threads have gone on within this time after the server has come back, or the run has failed. */
export const RESUME_MS = 5_000;
