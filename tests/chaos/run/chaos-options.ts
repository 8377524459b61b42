import type { ClientOptions } from "../client/client-options.js";
import type { Fault } from "../faults/fault.js";
import type { Random } from "../random.js";

/** The options of a run. */
export interface ChaosOptions {
  /** The seed of the load and of the faults. The timing of the machine also affects a run. */
  readonly seed: number;
  readonly saver: ClientOptions["saver"];
  /** Default: {@link LOAD}. */
  readonly load?: Load;
  /** Whether older checkpoints get a second successor; default `true`. */
  readonly forks?: boolean;
  /** The faults to inject, one after another. */
  readonly faults: (random: Random) => Iterable<Fault>;
  /** The longest pause between two faults, in milliseconds. */
  readonly calmMs: number;
  /** The longest time to wait for a load that does not go on, in milliseconds; default 20 s. */
  readonly giveUpMs?: number;
  /** Makes the server acknowledge before it writes, so that a kill loses calls, which the checker must find. */
  readonly sabotage?: boolean;
  /** Called with a description of each fault. */
  readonly onProgress?: (text: string) => void;
}

/** The load of a run. */
export type Load = Pick<ClientOptions, "slots" | "poolSize" | "connectionTimeoutMs" | "statementTimeoutMs">;

/** More threads than connections, so that the pool is always exhausted. */
export const LOAD: Load = {
  slots: 24,
  poolSize: 6,
  connectionTimeoutMs: 2_000,
  statementTimeoutMs: 1_000,
};

/** As {@link LOAD}, but it leaves the processor to others. */
export const SMALL_LOAD: Load = { ...LOAD, slots: 8, poolSize: 2 };

/** A run fails unless all threads resume within this time after the server has come back. */
export const RESUME_MS = 5_000;
