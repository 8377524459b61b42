import { CheckpointError, ConnectionError } from "../../errors/index.js";
import { outsideCalls } from "../../telemetry/running-calls.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { raceAgainst, withinTime } from "../async/within-time.js";
import type { OpenedDatabase } from "../opened-database.js";
import { orAborted } from "../statements/cancellation.js";
import { toDatabaseError } from "../to-database-error.js";
import { type PrimaryPosition, primaryPosition } from "./queries/primary-position.js";
import { type StandbyState, standbyState } from "./queries/standby-state.js";
import { describeError } from "../../telemetry/describe-error.js";
import { defineInstruments } from "../../telemetry/instruments.js";

/** How long the state of a replica is relied on, in milliseconds. */
const CHECK_EVERY_MS = 1_000;
/** How long a server may take to answer a check, in milliseconds. */
const ANSWER_MS = 1_000;
/** How long a replica with a fault is left aside before the next check, in milliseconds. */
const ASIDE_MS = 10_000;

/** The checks use no tables. */
const NO_SCHEMA = "pg_catalog";

/** What a {@link Replica} works with. */
export interface ReplicaSettings {
  readonly database: OpenedDatabase;
  /** The database that the replica is compared with. */
  readonly primary: OpenedDatabase;
  /** How far the replica may be behind, in milliseconds. */
  readonly maxLagMs: number;
  readonly telemetry: Telemetry;
}

/**
 * A replica of a saver's database, and what is known of its state. It is checked when it is about to be used, at most once a second.
 *
 * The lag is known in two ways, and the smaller one counts: from the time of the newest commit that the replica has replayed, and from
 * the last time when it had replayed everything that the primary had. The second one is needed where nothing is written, and then costs
 * the primary a statement for each `maxLagMs`.
 */
export class Replica {
  readonly database: OpenedDatabase;
  readonly #primary: OpenedDatabase;
  readonly #maxLagMs: number;
  readonly #telemetry: Telemetry;
  #state: ReplicaState | undefined;
  #validUntil = -Infinity;
  #looking: Promise<ReplicaState> | undefined;
  /** Whether the primary has confirmed that this is a standby of its own. */
  #isConfirmed = false;
  /** When the replica was last known to have replayed everything. */
  #caughtUpAt = -Infinity;

  constructor({ database, primary, maxLagMs, telemetry }: ReplicaSettings) {
    this.database = database;
    this.#primary = primary;
    this.#maxLagMs = maxLagMs;
    this.#telemetry = telemetry;
  }

  /** Why the next read must not go to the replica, or `undefined` if it may. It never rejects, except when the signal aborts. */
  async faultNow(signal: AbortSignal | undefined): Promise<ReplicaFault | undefined> {
    const isKnown = performance.now() < this.#validUntil;
    const state = isKnown ? this.#state : await orAborted(this.#look(), signal);
    return state?.fault;
  }

  /** Asks both servers, whatever is known. It never rejects, and takes at most three seconds: one for each answer. */
  check(): Promise<ReplicaState> {
    return this.#lookOnce(true);
  }

  /** Leaves the replica aside for a while, because a read on it has failed. */
  leaveAside(error: CheckpointError): ReplicaFault {
    const fault = faultOf(error);
    this.#become({ isUsed: false, fault, error }, performance.now());
    return fault;
  }

  /** Counts a read by where it went: `replica`, or the reason why it went to the primary. */
  count(outcome: "replica" | "conflict" | ReplicaFault): void {
    countStaleRead(outcome);
  }

  /** Reads that begin at the same time share a check. */
  #look(): Promise<ReplicaState> {
    this.#looking ??= outsideCalls(() => this.#lookOnce(false)).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** @param asksPrimary - Whether to measure the lag even if it is known to be small enough. */
  async #lookOnce(asksPrimary: boolean): Promise<ReplicaState> {
    const began = performance.now();
    let state: ReplicaState;
    try {
      state = await this.#examine(asksPrimary);
    } catch (reason) {
      const error = toDatabaseError(reason);
      if (!(error instanceof CheckpointError)) throw error;
      state = { isUsed: false, fault: faultOf(error), error };
    }
    this.#become(state, began);
    return state;
  }

  async #examine(asksPrimary: boolean): Promise<ReplicaState> {
    let standby = await this.#askReplica(null);
    if (!standby.is_in_recovery) return { isUsed: false, fault: "promoted", isInRecovery: false };
    if (asksPrimary || !this.#isConfirmed || this.#lagOf(standby) > this.#maxLagMs) {
      const askedAt = performance.now();
      const primary = await this.#askPrimary();
      if (primary !== undefined) {
        if (!isSameDatabase(primary, standby))
          return { isUsed: false, fault: "other-database", isInRecovery: true };
        this.#isConfirmed = true;
        standby = await this.#askReplica(primary.position);
        if (standby.has_reached === true) this.#caughtUpAt = askedAt;
      }
    }
    const lagMs = this.#lagOf(standby);
    const known = { isInRecovery: true, ...(lagMs < Infinity && { lagMs }) };
    if (!this.#isConfirmed) return { ...known, isUsed: false, fault: "unconfirmed" };
    if (lagMs > this.#maxLagMs) return { ...known, isUsed: false, fault: "behind" };
    return { ...known, isUsed: true };
  }

  /** How far the replica is behind at most, in milliseconds. */
  #lagOf({ behind_ms: behind }: StandbyState): number {
    // The clocks of the servers differ, so a commit may seem to be made in the future.
    const byCommit = behind === null ? Infinity : Math.max(0, Number(behind));
    return Math.min(byCommit, performance.now() - this.#caughtUpAt);
  }

  async #askReplica(position: string | null): Promise<StandbyState> {
    const [row] = await within((signal) =>
      this.database.execute(standbyState.bind(NO_SCHEMA, { position }), { signal }),
    );
    if (row === undefined) throw new ConnectionError("the replica sent no row");
    return row;
  }

  /** Returns `undefined` where the primary does not answer: it may be down while the replica still serves reads. */
  async #askPrimary(): Promise<PrimaryPosition | undefined> {
    try {
      const [row] = await within((signal) =>
        this.#primary.execute(primaryPosition.bind(NO_SCHEMA, {}), { signal }),
      );
      return row;
    } catch (reason) {
      const error = toDatabaseError(reason);
      if (error instanceof CheckpointError) return undefined;
      throw error;
    }
  }

  #become(state: ReplicaState, began: number): void {
    const before = this.#state;
    this.#state = state;
    this.#validUntil = began + this.#validMsOf(state);
    if (state.fault !== undefined && state.fault !== "behind") {
      // Another server may answer at its address the next time.
      this.#isConfirmed = false;
      this.#caughtUpAt = -Infinity;
    }
    if (state.fault !== undefined && state.fault !== before?.fault) reportReplicaLeft(this.#telemetry, state);
    if (state.fault === undefined && before?.fault !== undefined) {
      reportReplicaReturned(this.#telemetry, state);
    }
  }

  #validMsOf({ fault, lagMs = 0 }: ReplicaState): number {
    if (fault === undefined) return Math.min(CHECK_EVERY_MS, this.#maxLagMs - lagMs);
    return fault === "behind" ? CHECK_EVERY_MS : ASIDE_MS;
  }
}

function faultOf(error: CheckpointError): ReplicaFault {
  return error instanceof ConnectionError ? "unreachable" : "failed";
}

function isSameDatabase(primary: PrimaryPosition, standby: StandbyState): boolean {
  return primary.cluster === standby.cluster && primary.database === standby.database;
}

/** Waits for an answer for at most a second. */
function within<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withinTime({ limitMs: ANSWER_MS }, async (signal) => {
    try {
      return await raceAgainst(signal, ask(signal));
    } catch (reason) {
      if (!signal.aborted) throw reason;
      throw new ConnectionError(`the server did not answer within ${ANSWER_MS} ms`, { cause: reason });
    }
  });
}

/**
 * Why reads go to the primary instead of a replica:
 *
 * - `unreachable`: it does not answer, or not within a second
 * - `promoted`: it is no standby any more, so that it may hold what the primary does not
 * - `other-database`: it is no standby of the primary's cluster, or the connection is to another of its databases
 * - `unconfirmed`: the primary has not answered yet, so that nothing shows whose standby it is
 * - `behind`: it has not replayed what the primary had `maxLagMs` ago, as far as is known
 * - `failed`: it has refused a read, for example because it lacks the tables
 */
export type ReplicaFault =
  | "unreachable"
  | "promoted"
  | "other-database"
  | "unconfirmed"
  | "behind"
  | "failed";

/** What is known of a replica. */
export interface ReplicaState {
  /** Whether reads go to it. */
  readonly isUsed: boolean;
  /** Why not. */
  readonly fault?: ReplicaFault;
  /** Whether it is a standby. */
  readonly isInRecovery?: boolean;
  /** How far it is behind the primary at most, in milliseconds. Absent where nothing is known. */
  readonly lagMs?: number;
  /** The error of the replica, where there was one. */
  readonly error?: CheckpointError;
}

const staleReads = defineInstruments((meter) =>
  meter.createCounter("langgraph.checkpoint.stale_reads", {
    description:
      "Statements that may read a replica, by outcome: replica, or why they went to the primary, such as conflict.",
    unit: "{statement}",
  }),
);

/** Counts a statement that may read a replica, by where it went: `replica`, or the reason why it went to the primary. */
export function countStaleRead(outcome: "replica" | "conflict" | ReplicaFault): void {
  staleReads()?.add(1, { "langgraph.checkpoint.outcome": outcome });
}

/** Reports that reads go to the primary from now on. */
export function reportReplicaLeft(telemetry: Telemetry, { fault, lagMs, error }: ReplicaState): void {
  telemetry.report("warn", "the replica is left aside", {
    error,
    fields: {
      fault,
      ...lagFields(lagMs),
      ...(error !== undefined && { error: describeError(error).message }),
    },
  });
}

/** Reports that reads go to the replica again. */
export function reportReplicaReturned(telemetry: Telemetry, { lagMs }: ReplicaState): void {
  telemetry.report("info", "the replica is used again", { fields: lagFields(lagMs) });
}

function lagFields(lagMs: number | undefined): { readonly lagMs?: number } {
  return lagMs === undefined ? {} : { lagMs: Math.round(lagMs) };
}
