import { z } from "zod";
import type { SetupLimits } from "../db/preparation.js";
import { MAX_TIMER_MS } from "../db/async/timers.js";
import { abortSignal, type CallOptions } from "./parse-call-options.js";
import { parse } from "./parse.js";

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
