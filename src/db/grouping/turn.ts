import type { AsyncResource } from "node:async_hooks";
import type { HeldTurn, TurnQueue } from "./held-turn.js";

/** The place of a call that runs in groups. */
export interface Turn<Call> {
  readonly queue: TurnQueue<Turn<Call>>;
  /** Absent until the call is encoded. */
  ready: ReadyCall<Call> | undefined;
  /** Removes what would end the call's wait. */
  stopWaiting: () => void;
}

/** A call that can be sent. */
export interface ReadyCall<Call> {
  readonly call: Call;
  /** Whether it may share a statement with others. Not after a group with it has failed. */
  mayShare: boolean;
  /** The error of that group, where it had one. */
  failure?: unknown;
  /** The async context of its caller, where it has to wait: then the code of another call sends it. */
  context?: AsyncResource;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export type ReadyTurn<Call> = Turn<Call> & { readonly ready: ReadyCall<Call> };

/** Whether this is the turn of a call that can be sent. */
export function isReady<Call>(turn: Turn<Call> | HeldTurn<Turn<Call>> | undefined): turn is ReadyTurn<Call> {
  return turn !== undefined && "ready" in turn && turn.ready !== undefined;
}

/** Runs a function as code of the caller. */
export function inContextOf<T>({ context }: { readonly context?: AsyncResource }, run: () => T): T {
  return context === undefined ? run() : context.runInAsyncScope(run);
}
