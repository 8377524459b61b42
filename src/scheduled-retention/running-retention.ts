import { DEFAULT_FORMAT } from "../archive/files/compression.js";
import { noop } from "../db/async/noop.js";
import { joinSignals, onAbort } from "../db/async/on-abort.js";
import { advisoryKey } from "../db/locks/advisory-key.js";
import type { HeldLock } from "../db/locks/locks.js";
import { type Clock, SYSTEM_CLOCK } from "../db/scheduling/clock.js";
import { gentleRound, type OnDeleted } from "../db/scheduling/gentle-round.js";
import { Rounds } from "../db/scheduling/rounds.js";
import type { PruneRequest } from "../retention/boundary/parse-prune.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { numberOfRows } from "../saver/model/row-counts.js";
import type { ScheduleRequest } from "./boundary/parse-schedule.js";
import type { Retention, RetentionScope } from "./retention-schedule.js";
import { reportRound } from "../db/scheduling/round-events.js";
import { runCall } from "../db/run-call.js";
import { saverOperations } from "../saver/call/saver-operations.js";

const TASK = "retention";

/** The first round begins within this time, in milliseconds: processes that live for less than `every` must have a round, too. */
const FIRST_WITHIN_MS = 60_000;

/** A retention that has been started. */
export class RunningRetention implements Retention {
  readonly #call: SaverCall;
  readonly #request: ScheduleRequest;
  readonly #clock: Clock;
  readonly #rounds: Rounds;
  readonly #stopListening: () => void;
  readonly #onStopped: () => void;
  #stopped: Promise<void> | undefined;
  /** Held between rounds as well, so that the fleet has one round in the time between two, and not one for each process. */
  #lock: HeldLock | undefined;

  constructor(
    call: SaverCall,
    request: ScheduleRequest,
    { onStopped, clock = SYSTEM_CLOCK }: RetentionScope,
  ) {
    const { everyMs, signal } = request;
    this.#call = call;
    this.#request = request;
    this.#clock = clock;
    this.#onStopped = onStopped;
    this.#rounds = new Rounds({
      task: TASK,
      everyMs,
      firstMs: Math.random() * Math.min(everyMs, FIRST_WITHIN_MS),
      clock,
      run: (stopping) => this.#round(stopping),
    });
    this.#rounds.start();
    this.#stopListening = onAbort(signal, () => void this.stop());
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.#rounds.stop();
    this.#stopListening();
    await this.#release();
    this.#onStopped();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #round(stopping: AbortSignal): Promise<void> {
    return runCall(this.#call, saverOperations[TASK], async (call) => {
      const lock = await this.#acquire(call, stopping);
      if (lock === undefined) {
        if (!stopping.aborted) {
          reportRound(call.telemetry, { task: TASK, outcome: "skipped", rows: 0, seconds: 0 });
        }
        return;
      }
      await this.#runLocked(call, lock, stopping);
    });
  }

  /** Returns `undefined` while another process has the lock, and once the retention is stopped. */
  async #acquire(call: SaverCall, stopping: AbortSignal): Promise<HeldLock | undefined> {
    if (this.#lock?.lost.aborted === false) return this.#lock;
    await this.#release();
    const { database, schema, policy, observer } = call;
    // Savers of two tenants see different rows.
    const key = advisoryKey(TASK, schema, policy.tenantId ?? "");
    const wait = { waitMs: 0, signal: stopping, retry: policy.retry, observer };
    try {
      this.#lock = await database.locks.acquire(key, wait);
    } catch (error) {
      if (!stopping.aborted) throw error;
    }
    return this.#lock;
  }

  async #release(): Promise<void> {
    const lock = this.#lock;
    this.#lock = undefined;
    // One that was lost is free already.
    await lock?.release().catch(noop);
  }

  async #runLocked(call: SaverCall, { lost }: HeldLock, stopping: AbortSignal): Promise<void> {
    const { signal, release } = joinSignals([this.#request.signal, lost]);
    const round = { task: TASK, limits: this.#request.limits, stopping, clock: this.#clock };
    try {
      await gentleRound({ ...call, signal, withoutJit: true }, round, (within, onDeleted) =>
        this.#applyRules(within, onDeleted),
      );
    } catch (error) {
      throw lost.aborted ? lost.reason : error;
    } finally {
      release();
    }
  }

  async #applyRules(call: SaverCall, onDeleted: OnDeleted): Promise<void> {
    const { rules, archive: target } = this.#request;
    for (const each of rules) {
      const rule = counting(each, onDeleted);
      if (target === undefined) {
        const { prune } = await import("../retention/prune.js");
        await prune(call, rule);
      } else {
        const { archive } = await import("../archive/archive.js");
        await archive(call, { rule, target, filesPer: "thread", format: DEFAULT_FORMAT });
      }
    }
  }
}

/** Returns a rule that counts the rows that are deleted by it. */
function counting(rule: PruneRequest, onDeleted: OnDeleted): PruneRequest {
  if (rule.kind === "delete") return rule;
  let before = 0;
  return {
    ...rule,
    onProgress: (progress) => {
      const rows = numberOfRows(progress);
      onDeleted(rows - before);
      before = rows;
    },
  };
}
