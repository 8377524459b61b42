import type { z } from "zod";
import type { SaverCall } from "../../saver/call/saver-call.js";
import type { ReadCalls, ReadName, WriteCalls, WriteName } from "../api/inspector-api.js";
import type { InspectorContext } from "../inspector-context.js";
import type { InspectorAction, PageAction } from "../api/actions.js";

/** What a call runs with. */
export interface CallRun {
  readonly context: InspectorContext;
  /** For queries; it ends with the request. */
  readonly call: SaverCall;
  /** Aborts when the page has gone. */
  readonly signal: AbortSignal;
  /** Whether the caller may do this, by the options of the inspector and by the application. */
  readonly may: (action: InspectorAction) => Promise<boolean>;
}

/** A call of the page: how its arguments are checked, and what answers it. */
export interface CallDefinition<Args, Result> {
  readonly args: z.ZodType<Args>;
  // A method, so that calls with different arguments have a type in common.
  run(run: CallRun, args: Args): Promise<Result>;
}

/** A call that changes something. */
export interface WriteDefinition<Args extends object, Result> extends CallDefinition<Args, Result> {
  /** What the application is asked about. */
  readonly action: PageAction;
}

/** The calls that read with these names. */
export type ReadDefinitions<Name extends ReadName> = {
  readonly [Key in Name]: CallDefinition<ReadCalls[Key]["args"], ReadCalls[Key]["result"]>;
};

/** The calls that write with these names. */
export type WriteDefinitions<Name extends WriteName> = {
  readonly [Key in Name]: WriteDefinition<WriteCalls[Key]["args"], WriteCalls[Key]["result"]>;
};

/** What answers a call that says no more than that it was done. */
export function doing<Args>(change: (run: CallRun, args: Args) => Promise<void>) {
  return async (run: CallRun, args: Args): Promise<object> => {
    await change(run, args);
    return {};
  };
}
