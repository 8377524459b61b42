import type { Clock } from "../db/scheduling/clock.js";
import type { ArchiveTarget } from "../archive/archive-types.js";
import type { CallOptions } from "../parsing/parse-call-options.js";

/** What a retention deletes by itself, how often and how fast. At least one of `olderThanMs`, `keepLast` and `idleForMs` is required. */
export interface RetentionSchedule extends CallOptions {
  /** The time between two rounds, in milliseconds: from one second to two weeks. Up to a fifth is added at random. */
  readonly every: number;
  /** Keeps checkpoints that are younger than this, in milliseconds, as with `prune`. */
  readonly olderThanMs?: number | undefined;
  /** How many of the newest checkpoints of each namespace to keep, as with `prune`: 1 or more. Default: 1. */
  readonly keepLast?: number | undefined;
  /**
   * How long a thread lives after its newest checkpoint, in milliseconds. Then it is deleted whole. A thread with a `thread_ttl_ms` of
   * its own goes by that instead, and with `Infinity` only such threads are deleted. Default: all live for ever.
   */
  readonly idleForMs?: number | undefined;
  /** Where rows are moved to, as with `archive`: a file for each thread. Default: they are only deleted. */
  readonly archive?: ArchiveTarget | undefined;
  /** The most rows that are deleted in a second, on average. `Infinity` for no limit. Default: 1,000. */
  readonly maxRowsPerSecond?: number | undefined;
  /**
   * It pauses while a replica of the server is further behind than this, in milliseconds. `Infinity` for never. Default: 10,000.
   */
  readonly maxLagMs?: number | undefined;
}

/** A retention that runs by itself, until it is stopped. */
export interface Retention {
  /** Stops it: waits for the transaction that it is in, and lets another process go on. It may be called more than once. */
  readonly stop: () => Promise<void>;
  /** Calls {@link stop} at the end of a block that declares it with `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** What belongs to one retention. */
export interface RetentionScope {
  /** Called once, when it has stopped. */
  readonly onStopped: () => void;
  /** Default: the clock of the process. */
  readonly clock?: Clock;
}
