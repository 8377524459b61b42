import { z } from "zod";
import { parse } from "./parse.js";

/** What any call can be given. */
export interface CallOptions {
  /**
   * Ends the call: it rejects with an `AbortError`, and the server cancels what it is doing. A call that was done by then
   * counts as done.
   */
  readonly signal?: AbortSignal | undefined;
}

export const abortSignal = z.custom<AbortSignal>(isAbortSignal, "must be an AbortSignal");

const callOptions = z.object({ signal: abortSignal.nullish() }).nullish();
const runConfig = z.object({ signal: abortSignal.optional().catch(undefined) }).nullish();

/** The signal that a call was given. */
export function parseSignal(options: unknown): AbortSignal | undefined {
  return parse(callOptions, options, "options")?.signal ?? undefined;
}

/** The signal of the run that a call is part of; whatever else stands in its place is not for us. */
export function parseConfigSignal(config: unknown): AbortSignal | undefined {
  return parse(runConfig, config, "config")?.signal;
}

// What only looks like one, an object of its prototype or a Proxy, throws as soon as it is used.
function isAbortSignal(value: unknown): boolean {
  try {
    return value instanceof AbortSignal && typeof value.aborted === "boolean";
  } catch {
    return false;
  }
}

/** Options of a call that may be handed to `Array.map`, where the second argument is a number. */
export function unlessIndex(options: unknown): unknown {
  return typeof options === "number" ? undefined : options;
}
