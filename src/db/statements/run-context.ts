import type { CallProgress } from "../../telemetry/running-call.js";

/** Settings for the statements of one call. */
export interface RunContext {
  /** Ends the call: the server cancels its statement. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The timeout of one statement in milliseconds, after which the server cancels it; `undefined` means no
   * limit.
   */
  readonly statementTimeoutMs?: number | undefined;
  /** How long each statement waits for one lock, in milliseconds. PGlite ignores it, since it has one connection. Default: no limit. */
  readonly lockTimeoutMs?: number | undefined;
  /** The tenant whose rows the statements see under row-level security. */
  readonly tenantId?: string | undefined;
  /**
   * Whether the commit waits for synchronous standbys even if it changes nothing: an earlier attempt may have
   * stored everything.
   */
  readonly confirmsEarlier?: boolean | undefined;
  /** Told what the statements wait for. */
  readonly progress?: CallProgress | undefined;
}
