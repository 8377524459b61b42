import { availableParallelism, cpus, loadavg } from "node:os";
import type { PgbenchResult } from "../floor/pgbench.js";
import type { CheckpointStoreResult } from "../checkpoint-store/measure-checkpoint-stores.js";
import type { GrowthResult } from "../growth/measure-growth.js";
import type { InspectorResult } from "../inspector/measure-inspector.js";
import type { LoadResult } from "../measure/run-load.js";
import type { CaseResult } from "../measure/run-case.js";
import type { PerSubject } from "../subjects.js";
import type { TargetResult } from "../targets.js";

/** A fact about both savers. */
export interface FactResult {
  readonly name: string;
  readonly answers: PerSubject<string | number | boolean>;
}

/** An amount for both savers. */
export interface AmountResult {
  /** With the unit. */
  readonly name: string;
  /** The reason where there is no amount. */
  readonly amounts: PerSubject<number | string>;
}

/** The environment of the measurement. */
export interface Machine {
  readonly cpus: number;
  readonly cpuModel: string;
  readonly node: string;
  readonly server: string;
  /** The load of the machine: the mean of the minute before the first timing, and of that before the end. */
  readonly load: { readonly atStart: number; readonly atEnd: number };
}

/** All measurements. */
export interface Measured {
  readonly timed: readonly CaseResult[];
  readonly pgbench: readonly PgbenchResult[];
  readonly loads: readonly LoadResult[];
  /** The runs of small graphs on new savers. */
  readonly smallRuns: readonly CaseResult[];
  /** The calls of new processes. */
  readonly cold: readonly CaseResult[];
  /** What was measured on an installed server with JIT. */
  readonly jit: readonly CaseResult[];
  readonly amounts: readonly AmountResult[];
  readonly growth: readonly GrowthResult[];
  /** The operations of the stores. */
  readonly stores: readonly CaseResult[];
  /** The operations of the checkpoint stores. */
  readonly checkpointStores: readonly CheckpointStoreResult[];
  /** The pages of the inspector on a large database. */
  readonly inspector: readonly InspectorResult[];
  /** Which part of the most similar items the searches by vectors find. */
  readonly recalls: readonly AmountResult[];
}

/** All results of a run, the content of `latest.json`. */
export interface Results extends Measured {
  /** The end of the run, in ISO 8601. */
  readonly finishedAt: string;
  readonly quick: boolean;
  readonly versions: PerSubject<string>;
  readonly machine: Machine;
  readonly targets: readonly TargetResult[];
  readonly facts: readonly FactResult[];
}

/** Returns the load of the machine over the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? Number.NaN;
}

/** Returns the machine that this process runs on. */
export function describeMachine(server: string, loadAtStart: number): Machine {
  return {
    cpus: availableParallelism(),
    cpuModel: cpus()[0]?.model ?? "unknown",
    node: process.version,
    server,
    load: { atStart: loadAtStart, atEnd: currentLoad() },
  };
}
