import type { ValueMemory } from "../../splices/value-memory.js";
import type { ClockRule } from "../clock/clock-rule.js";
import type { CallGroups } from "../../db/grouping/call-groups.js";
import type { StoredCall } from "../grouping/group-content.js";
import type { TupleReads } from "../grouping/tuple-read.js";
import type { CallContext, StatementPolicy } from "../../db/call-context.js";
import { staleCall } from "../../db/replica/stale-call.js";
import { parseConfigSignal, parseSignal, parseStaleReads } from "../../parsing/parse-call-options.js";
import { type SaverOperationName, saverOperations } from "./saver-operations.js";

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

/** What the caller of a method has given that decides about its context. */
export interface GivenContext {
  /** The options of the call. Their signal wins. */
  readonly options?: unknown;
  /** What errors call the options. Default: `options`. */
  readonly argument?: string;
  /** The config of a read, which ends together with its run. A write ignores it: LangGraph counts on writes of an aborted run. */
  readonly config?: unknown;
}

/** Returns the context for one call of a method: with its signal, and on the replica where the method and the caller allow it. */
export function contextOf(
  base: SaverCall,
  name: SaverOperationName,
  { options, argument, config }: GivenContext,
): SaverCall {
  // Most calls have neither.
  const given = options === undefined ? undefined : parseSignal(options, argument);
  const signal = given ?? (config === undefined ? undefined : parseConfigSignal(config));
  const { staleReads, isBulk } = saverOperations[name];
  const withSignal = signal === undefined ? base : { ...base, signal };
  const call = isBulk === true ? { ...withSignal, withoutJit: true } : withSignal;
  if (call.replica === undefined || staleReads === undefined) return call;
  return (parseStaleReads(options, argument) ?? staleReads === "by default") ? onReplica(call) : call;
}

/** Returns the context for a call that reads the replica, where the saver has one. */
export function onReplica(call: SaverCall): SaverCall {
  if (call.replica === undefined) return call;
  const stale = staleCall(call);
  // Other reads of the group may want the primary, and a `put` must not compare its values with stale ones.
  return { ...stale, reads: undefined, policy: { ...stale.policy, memory: undefined } };
}

/** Names the threads that a call writes to, for the error where row-level security refuses one. */
export function writingThreads<Call extends SaverCall>(call: Call, threadIds: () => readonly string[]): Call {
  return { ...call, written: () => threadIds().map(rowOf) };
}

function rowOf(threadId: string) {
  const end = threadId.indexOf(":");
  return {
    name: `thread ${JSON.stringify(threadId)}`,
    tenant: end === -1 ? undefined : threadId.slice(0, end),
    threadId,
  };
}
