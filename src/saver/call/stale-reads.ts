import { staleCall } from "../../db/replica/stale-call.js";
import { parseStaleReads } from "../../parsing/parse-call-options.js";
import { callWithSignal, type OperationName, type SignalSources } from "./run-call.js";
import type { SaverCall } from "./saver-call.js";

/**
 * The operations that may read the replica, and whether they do if the caller does not say so. All others use the primary only: they
 * store or delete something, or decide what is stored or deleted.
 */
const MAY_READ_REPLICA: Partial<Record<OperationName, "by default" | "if asked">> = {
  listThreads: "by default",
  listTombstones: "by default",
  history: "by default",
  writesOf: "by default",
  taskStats: "by default",
  storage: "by default",
  diff: "by default",
  verify: "by default",
  // Runs continue from what these return.
  getTuple: "if asked",
  list: "if asked",
  getDeltaChannelHistory: "if asked",
  getChannelValues: "if asked",
  // What was exported is often deleted afterwards.
  exportThreads: "if asked",
};

/** Returns the context for one call of a method: with its signal, and on the replica where the method and the caller allow it. */
export function contextOf(base: SaverCall, name: OperationName, sources: SignalSources): SaverCall {
  const call = callWithSignal(base, sources);
  const rule = call.replica === undefined ? undefined : MAY_READ_REPLICA[name];
  if (rule === undefined) return call;
  const isStale = parseStaleReads(sources.options) ?? rule === "by default";
  return isStale ? staleSaverCall(call) : call;
}

/** Returns the context for a call that reads the replica, where the saver has one. */
export function staleSaverCall(call: SaverCall): SaverCall {
  if (call.replica === undefined) return call;
  const stale = staleCall(call);
  // Other reads of the group may want the primary, and a `put` must not compare its values with stale ones.
  return { ...stale, reads: undefined, policy: { ...stale.policy, memory: undefined } };
}
