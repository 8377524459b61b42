import { z } from "zod";
import { parse } from "./parse.js";
import { keyText } from "./keys.js";
import type { SetupLimits } from "../db/preparation.js";
import { MAX_TIMER_MS } from "../db/async/timers.js";

/** Options of every call. */
export interface CallOptions {
  /**
   * Ends the call: it rejects with an `AbortError`, and the server cancels its statement. A call that had
   * finished by then counts as done.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call that only reads. */
export interface StaleReadOptions extends CallOptions {
  /**
   * Whether the call may read the saver's `replica`, which may lag behind the primary. Each method says what its default is. Without a
   * `replica` it has no effect.
   */
  readonly staleReads?: boolean | undefined;
}

export const abortSignal = z.custom<AbortSignal>(isAbortSignal, "must be an AbortSignal");

const callOptions = z.strictObject({ signal: abortSignal.nullish() }).nullish();
/** The options of every call that may read a replica. */
export const staleReadOptions = z.strictObject({
  signal: abortSignal.nullish(),
  staleReads: z.boolean().optional(),
});

const onlyStaleReadOptions = staleReadOptions.nullish();
const anyStaleReads = z.object({ staleReads: z.boolean().optional() }).nullish();
const anyOptions = z.object({ signal: abortSignal.nullish() }).nullish();
const runConfig = z.object({ signal: abortSignal.optional().catch(undefined) }).nullish();

/**
 * Parses options that have only a signal.
 *
 * @returns The signal.
 * @throws InvalidConfigError for an unknown option.
 */
export function parseCallOptions(options: unknown): AbortSignal | undefined {
  return parse(callOptions, options, "options")?.signal ?? undefined;
}

/**
 * Parses options that have only a signal and whether the call may read a replica.
 *
 * @returns The signal.
 * @throws InvalidConfigError for an unknown option.
 */
export function parseStaleReadOptions(options: unknown): AbortSignal | undefined {
  return parse(onlyStaleReadOptions, options, "options")?.signal ?? undefined;
}

/** Returns whether a call's options let it read a replica, and ignores the other options. */
export function parseStaleReads(options: unknown, argument = "options"): boolean | undefined {
  return parse(anyStaleReads, options, argument)?.staleReads;
}

/** Returns the signal of a call's options, and ignores the other options. */
export function parseSignal(options: unknown, argument = "options"): AbortSignal | undefined {
  return parse(anyOptions, options, argument)?.signal ?? undefined;
}

/** Returns the signal of the run that a call belongs to, and ignores an invalid one. */
export function parseConfigSignal(config: unknown): AbortSignal | undefined {
  return parse(runConfig, config, "config")?.signal;
}

// An object that only has its prototype, or a Proxy, throws when it is used.
function isAbortSignal(value: unknown): boolean {
  try {
    return value instanceof AbortSignal && typeof value.aborted === "boolean";
  } catch {
    return false;
  }
}

/** Options of a method that may be a callback of `Array.map`, which passes a number as second argument. */
export function unlessIndex(options: unknown): unknown {
  return typeof options === "number" ? undefined : options;
}

const DEFAULT_LIMIT = 50;

/** The options of every list that is paged by thread id. */
export const pageQuery = staleReadOptions.extend({
  after: keyText.optional(),
  limit: z.number().int().min(0).default(DEFAULT_LIMIT),
});

/** Options of `setup()`. */
export interface SetupOptions extends CallOptions {
  /**
   * How long to wait for another process that migrates the same schema, and for sessions that lock its tables, in milliseconds. Where
   * nothing has to change, it only waits for tables that are locked against readers. Default: 60,000.
   */
  readonly lockTimeoutMs?: number | undefined;
}

const setupOptions = z
  .strictObject({
    signal: abortSignal.nullish(),
    // Postgres takes whole milliseconds, and 0 for no limit.
    lockTimeoutMs: z.int().min(1).max(MAX_TIMER_MS).optional(),
  })
  .nullish();

/** @throws InvalidConfigError for an unknown option or a wrong value. */
export function parseSetupOptions(options: unknown): SetupLimits {
  const { signal, lockTimeoutMs } = parse(setupOptions, options, "options") ?? {};
  return { signal: signal ?? undefined, lockTimeoutMs };
}
