import { staleCall } from "../../db/replica/stale-call.js";
import { parseConfigSignal, parseSignal, parseStaleReads } from "../../parsing/parse-call-options.js";
import type { SaverCall } from "./saver-call.js";
import { type SaverOperationName, saverOperations } from "./saver-operations.js";

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
  const call = signal === undefined ? base : { ...base, signal };
  const { staleReads } = saverOperations[name];
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
