/** What holds for the statements of one call. */
export interface RunContext {
  /** Ends the call: what the server is doing for it is cancelled there. */
  readonly signal?: AbortSignal | undefined;
  /** How long one statement may take, in milliseconds, before it is cancelled on the server; without limit if `undefined`. */
  readonly statementTimeoutMs?: number | undefined;
  /** The tenant whose rows the statements see, where row-level security asks for one. */
  readonly tenantId?: string | undefined;
  /** Whether the commit waits for synchronous standbys in any case: an earlier attempt may have left nothing to do. */
  readonly confirmsEarlier?: boolean | undefined;
}
