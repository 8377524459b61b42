import { type Damage, damageOf, isUnreadable } from "../errors/index.js";
import type { GrowthRequest } from "./boundary/parse-growth.js";
import type { GrowthReport } from "./growth-types.js";
import type { Replacement, VersionRow } from "./queries/values-of-channel.js";
import type { CallContext } from "../db/call-context.js";
import { eachThreadId } from "../saver/thread-pages.js";

/** The lengths of a value, in bytes, as they are stored. */
export interface ChangedValue {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** The lengths of values that were stored in another form, and before. */
export function changesOf(
  replacements: readonly Replacement[],
  before: readonly VersionRow[],
): ChangedValue[] {
  const bytesBefore = new Map(before.map(({ version, bytes }) => [version, bytes]));
  return replacements.map(({ version, blob }) => ({
    bytesBefore: bytesBefore.get(version) ?? 0,
    bytesAfter: blob.byteLength,
  }));
}

/** Sums up what a call stores in another form, and reports progress. */
export class GrowthTally {
  readonly #request: GrowthRequest;
  readonly #missing: string[] = [];
  readonly #damaged: Damage[] = [];
  #values = 0;
  #bytesBefore = 0;
  #bytesAfter = 0;
  #threads = 0;
  #threadsDone = 0;
  #valuesBeforeThread = 0;

  constructor(request: GrowthRequest) {
    this.#request = request;
  }

  /** The threads of the call. All when `undefined`. */
  get threads(): readonly string[] | undefined {
    return this.#request.threads;
  }

  /** Adds what one transaction stored. */
  add(threadId: string, changed: readonly ChangedValue[]): void {
    for (const { bytesBefore, bytesAfter } of changed) {
      this.#values++;
      this.#bytesBefore += bytesBefore;
      this.#bytesAfter += bytesAfter;
    }
    this.#reportProgress(threadId);
  }

  addMissing(threadId: string): void {
    if (this.#request.threads !== undefined) this.#missing.push(threadId);
  }

  /** Adds a thread of which a row can't be read. @returns whether the call goes on. */
  addDamaged(damage: Damage): boolean {
    this.#damaged.push(damage);
    return !this.#request.strict;
  }

  /** Marks a thread as done. */
  end(threadId: string): void {
    if (this.#values > this.#valuesBeforeThread) this.#threads++;
    this.#valuesBeforeThread = this.#values;
    this.#threadsDone++;
    this.#reportProgress(threadId);
  }

  report(): GrowthReport {
    const { dryRun } = this.#request;
    return {
      threads: this.#threads,
      ...this.#counts,
      missing: this.#missing,
      damaged: this.#damaged,
      dryRun,
    };
  }

  get #counts() {
    return { values: this.#values, bytesBefore: this.#bytesBefore, bytesAfter: this.#bytesAfter };
  }

  #reportProgress(threadId: string): void {
    this.#request.onProgress?.({ ...this.#counts, threadId, threadsDone: this.#threadsDone });
  }
}

/** Rewrites the threads of a call one after another, and returns the report. A damaged thread costs only that thread. */
export async function eachThread(
  call: CallContext,
  tally: GrowthTally,
  rewrite: (threadId: string) => Promise<void>,
): Promise<GrowthReport> {
  for await (const threadId of eachThreadId(call, tally.threads)) {
    try {
      await rewrite(threadId);
    } catch (error) {
      if (!isUnreadable(error) || !tally.addDamaged(damageOf(error, threadId))) throw error;
    }
    tally.end(threadId);
  }
  return tally.report();
}
