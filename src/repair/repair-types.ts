import type { ArchiveTarget } from "../archive/archive-types.js";
import type { Problem } from "../audit/audit-types.js";
import type { CallOptions } from "../parsing/parse-call-options.js";
import type { ChannelReducers } from "../saver/model/channel-reducers.js";

/**
 * How damage is repaired. `repair` takes the first one that helps:
 *
 * - `rebuild`: the row gets what other rows tell: its id, time, format, step, index, length or type, or a value from the writes of the
 *   ancestors. A tombstone of a living thread is lifted. Nothing is lost
 * - `restore`: the row is replaced by that of a backup, or added. Others of a task's writes stay. Only with the option `from`
 * - `drop`: a row is removed that can't be read and that nobody reads: a value that no checkpoint references, a write without a checkpoint or
 *   of a step that has ended
 * - `roll-back`: damaged checkpoints are removed, and the thread continues from its newest healthy one. Beside that one, an unreadable write
 *   goes with the others of its task, which runs again. Only with the option `rollBack`
 * - `quarantine`: a thread that stays damaged moves as it is to the archive. Only with the option `quarantine`
 * - `none`: the thread stays as it is
 */
export type RepairAction = "rebuild" | "restore" | "drop" | "roll-back" | "quarantine" | "none";

/** A problem, and what `repair` did about it, or with `dryRun` would do. */
export interface Repair {
  readonly problem: Problem;
  readonly action: RepairAction;
  /** A description for people. Its text may change between versions. */
  readonly description: string;
}

/** The options of `repair`. */
export interface RepairOptions extends CallOptions {
  /** Only these threads; an empty list selects none. Default: all. */
  readonly threads?: readonly string[] | undefined;
  /** Plans the repairs, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * Where all rows of a thread are written as they are, before the first of them is changed. Deleting the thread and `restore` undo the
   * repair. Required unless {@link dryRun} is set.
   */
  readonly to?: ArchiveTarget | undefined;
  /** The lines of a backup from which damaged and missing rows are taken. */
  readonly from?: AsyncIterable<string> | Iterable<string> | undefined;
  /** The reducers of the graph's channels, as for `rebuildBlobs`. Without one, a value is not rebuilt from writes. */
  readonly reducers?: ChannelReducers | undefined;
  /** Whether damaged checkpoints may be removed, so that a thread continues from its newest healthy one. Default: false. */
  readonly rollBack?: boolean | undefined;
  /** Whether a thread that stays damaged moves to {@link to}. Default: false. */
  readonly quarantine?: boolean | undefined;
  /** Called after each thread that has damage. An error that it throws ends the call. */
  readonly onProgress?: ((progress: RepairProgress) => void) | undefined;
}

/** The progress of `repair`. */
export interface RepairProgress {
  /** The thread that was repaired last, or left. */
  readonly threadId: string;
  /** How many threads with damage are done. */
  readonly threadsDone: number;
}

/** The result of `repair`. */
export interface RepairReport {
  /** How many threads have damage. */
  readonly threads: number;
  /** How many of them have none any more, or with `dryRun` would have none. */
  readonly repaired: number;
  /** Each problem, by thread. */
  readonly repairs: readonly Repair[];
  readonly dryRun: boolean;
}
