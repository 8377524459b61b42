import type { ValueMemory } from "../../splices/value-memory.js";
import type { ClockRule } from "../clock/clock-rule.js";
import type { CallGroups } from "../../db/grouping/call-groups.js";
import type { StoredCall } from "../grouping/group-content.js";
import type { TupleReads } from "../grouping/tuple-read.js";
import type { CallContext, StatementPolicy } from "../../db/call-context.js";

/** What a saver was configured with. All of its calls share it. */
export interface SaverPolicy extends StatementPolicy {
  /** `optimistic`: a checkpoint must follow the newest one of its namespace. Default: `unchecked`. */
  readonly concurrency?: "unchecked" | "optimistic";
  /** Whether deleted threads stay deleted. Default: false. */
  readonly keepTombstones?: boolean;
  /** How many of the newest checkpoints of a namespace each `put` leaves there. Default: all. */
  readonly keepLast?: number | undefined;
  /** Whether stored checkpoints are announced to those who watch their thread. Default: false. */
  readonly notifies?: boolean;
  /** Checks the ids of checkpoints against the clock. Absent where nothing is checked. */
  readonly clock?: ClockRule | undefined;
  /** What is remembered of the values of checkpoints. Absent for a saver that stores all values whole. */
  readonly memory?: ValueMemory | undefined;
}

/** The context of one call of a saver. */
export interface SaverCall extends CallContext {
  readonly policy: SaverPolicy;
  /** The groups in which the saver reads tuples. Absent where each read is sent by itself. */
  readonly reads?: TupleReads | undefined;
  /** The groups in which the saver's calls are stored. Absent where each call is sent by itself. */
  readonly groups?: CallGroups<StoredCall> | undefined;
}
