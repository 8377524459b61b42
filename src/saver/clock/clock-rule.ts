import { pause } from "../../db/async/retry.js";
import type { CallContext } from "../../db/call-context.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { ClockBehindError } from "../../errors/index.js";
import type { CheckpointKey } from "../model/keys.js";
import { timeInId } from "../model/checkpoint-time.js";
import { DailyWarnings } from "../model/daily-warnings.js";
import { defineInstruments, DURATION_BOUNDS } from "../../telemetry/instruments.js";
import type { ObservedCall } from "../../telemetry/observed-call.js";

/** Clocks that NTP synchronizes differ by less. */
const LOGGED_WAIT_MS = 100;

const clockWait = defineInstruments((meter) =>
  meter.createHistogram("langgraph.checkpoint.clock_wait", {
    description: "Waits of reads until this machine's clock had passed the newest checkpoint.",
    unit: "s",
    advice: { explicitBucketBoundaries: DURATION_BOUNDS },
  }),
);

/** How a saver treats a clock that is behind. */
export interface ClockBounds {
  /** The longest time that a read waits, in milliseconds. */
  readonly maxClockWaitMs: number;
  /** What becomes of a call whose checkpoint would be lost from sight. */
  readonly clockBehind: "refuse" | "warn";
}

/** A checkpoint that was read, and whether it is the newest of its namespace or one that the caller named. */
export interface ReadCheckpoint extends CheckpointKey {
  readonly isNewest: boolean;
}

/** The greatest id of the last millisecond of which this process has stored ids, by whichever saver. */
let lastMade: { readonly id: string; readonly ms: number | undefined } = { id: "", ms: undefined };

/**
 * Says that an id was made in this process, as those of the checkpoints that it stores are. LangGraph counts the ids of a millisecond in
 * its process, so the next ones are greater, and nothing has to wait for the clock.
 *
 * @returns The time in the id, in milliseconds.
 */
export function countOwnId(checkpointId: string): number | undefined {
  const ms = timeInId(checkpointId)?.getTime();
  if (ms !== lastMade.ms || checkpointId > lastMade.id) lastMade = { id: checkpointId, ms };
  return ms;
}

/**
 * Keeps the checkpoints of a machine whose clock is behind from being lost from sight (C17). The newest checkpoint of a namespace is the
 * one with the greatest id, and LangGraph makes ids from the clock of its machine. Ids that contain no time are not checked.
 */
export class ClockRule {
  readonly #bounds: ClockBounds;
  readonly #ended: AbortSignal;
  readonly #warnings = new DailyWarnings({ type: "ClockBehindWarning", code: "CLOCK_BEHIND" });

  /** @param ended - Aborts when the saver is closed, and ends all waits. */
  constructor(bounds: ClockBounds, ended: AbortSignal) {
    this.#bounds = bounds;
    this.#ended = ended;
  }

  /**
   * Checks that a checkpoint is not older than its parent in the same namespace. One that names itself as its parent is stored again.
   *
   * @throws ClockBehindError where it is not, unless the saver only warns.
   */
  checkPut(key: CheckpointKey, parentCheckpointId: string | undefined): void {
    const { checkpointId } = key;
    const ms = countOwnId(checkpointId);
    if (parentCheckpointId === undefined || checkpointId >= parentCheckpointId) return;
    const parentMs = timeInId(parentCheckpointId)?.getTime();
    if (ms === undefined || parentMs === undefined) return;
    const behindMs = parentMs - ms;
    this.refuse(
      key,
      behindMs,
      `checkpoint "${checkpointId}" is ${seconds(behindMs)} older than its parent "${parentCheckpointId}"`,
    );
  }

  /**
   * Waits until this machine's clock has passed the time of a checkpoint that a run may continue from, so that LangGraph makes greater ids.
   *
   * @throws ClockBehindError where the checkpoint is the newest one, and the wait would be too long, unless the saver only warns.
   * @throws AbortError where the signal of the call has ended the wait, or the saver was closed.
   */
  async waitFor(call: CallContext, { isNewest, ...key }: ReadCheckpoint): Promise<void> {
    const { checkpointId } = key;
    const leftMs = msUntilLater(checkpointId);
    // After a wait this is not enough: a clock that was set back has begun to count anew.
    if (leftMs <= 0 || (leftMs === 1 && isCounted(checkpointId))) return;
    const behindMs = await this.#wait(call, checkpointId);
    // A run from an older checkpoint may well make greater ids. If it does not, its put is refused.
    if (behindMs > 0 && isNewest)
      this.refuse(key, behindMs, `the newest checkpoint "${checkpointId}" is ${aheadBy(behindMs)}`);
  }

  /**
   * Refuses a call, or warns of it, where a checkpoint is lost from sight by a clock that is behind.
   *
   * @param problem - Says what is wrong with the checkpoint.
   * @throws ClockBehindError unless the saver only warns.
   */
  refuse(key: CheckpointKey, behindMs: number, problem: string): void {
    const describe = (): string =>
      `thread "${key.threadId}", namespace "${key.checkpointNs}": ${problem}, so the checkpoints of a run here would never be the newest, ` +
      `and later runs would not see them: the clock is behind, or another one is ahead; synchronize the clocks of all machines by NTP`;
    if (this.#bounds.clockBehind === "refuse") throw new ClockBehindError(describe(), { ...key, behindMs });
    this.#warnings.warn(key, describe);
  }

  /** Waits within the bound. Returns how far the clock is still behind. */
  async #wait({ signal, observer }: CallContext, checkpointId: string): Promise<number> {
    const began = performance.now();
    const waitedMs = (): number => performance.now() - began;
    let behindMs = msUntilLater(checkpointId);
    if (behindMs > this.#bounds.maxClockWaitMs) return behindMs;
    try {
      // Again, because a timer may end early, and the clock may be set meanwhile.
      while (behindMs > 0 && waitedMs() + behindMs <= this.#bounds.maxClockWaitMs) {
        await this.#pause(behindMs, signal);
        behindMs = msUntilLater(checkpointId);
      }
      return behindMs;
    } finally {
      if (observer !== undefined) reportClockWait(observer, checkpointId, waitedMs());
    }
  }

  /** @throws AbortError where the signal, or the end of the saver, has ended the pause. */
  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    // A saver on a database of its caller's can be used after it was closed.
    const ended = this.#ended.aborted ? undefined : this.#ended;
    await pause(ms, { signals: [signal, ended] });
    throwIfAborted(signal);
    throwIfAborted(ended);
  }
}

/** Says that a checkpoint is newer than the time of this machine's clock. */
export function aheadBy(ms: number): string {
  return `${seconds(ms)} ahead of this machine's clock`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}

/**
 * How long it takes until this process makes greater ids, in milliseconds, where another one has made the given one. Its own ids of the same
 * millisecond may be smaller.
 */
function msUntilLater(checkpointId: string): number {
  const ms = timeInId(checkpointId)?.getTime();
  return ms === undefined ? 0 : ms + 1 - Date.now();
}

/** Whether this process has counted the ids up to this one, which is of the present millisecond. */
function isCounted(checkpointId: string): boolean {
  return timeInId(checkpointId)?.getTime() === lastMade.ms && checkpointId <= lastMade.id;
}

/** Reports a wait until this machine's clock had passed the time of a checkpoint. */
function reportClockWait(observer: ObservedCall, checkpointId: string, waitedMs: number): void {
  observer.record(clockWait(), waitedMs / 1_000);
  observer.addEvent("clock wait", { "langgraph.checkpoint.delay": waitedMs / 1_000 });
  if (waitedMs < LOGGED_WAIT_MS) return;
  observer.warn("the clock of this machine is behind, waited for it", {
    checkpointId,
    waitedMs: Math.round(waitedMs),
  });
}
