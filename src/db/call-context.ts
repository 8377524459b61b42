import type { ObservedCall } from "../telemetry/observed-call.js";
import type { CallProgress } from "../telemetry/running-call.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { OpenedDatabase } from "./opened-database.js";
import type { OpenedReplica } from "./replica/open-replica.js";
import type { SizeLimits } from "./size-limits.js";
import type { RetryOptions } from "./statements/retry-transient.js";
import type { RunContext } from "./statements/run-context.js";

/** How a saver sends its statements. All calls of a saver share it. */
export interface StatementPolicy {
  /** How transient faults are retried, or `false` for no retries. */
  readonly retry: RetryOptions | false;
  /** The time limit of one statement, in milliseconds. Default: no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /** The tenant whose rows the statements see. Default: no tenant. */
  readonly tenantId?: string | undefined;
  /** Checks that row-level security separates tenants, where {@link tenantId} is set. */
  readonly rowSecurity?: { run(call: CallContext): Promise<void> } | undefined;
  /** The portions in which large values are sent and read. Default: `DEFAULT_SIZE_LIMITS`. */
  readonly limits?: SizeLimits;
  /** Whether reads of tuples follow splices in their statement. Otherwise they need another one where they meet a splice. */
  readonly followsChains?: boolean;
}

/** A thread or an item that a call writes. */
export interface WrittenRow {
  /** What errors call it. */
  readonly name: string;
  /** The tenant that it belongs to, by the rule of docs/tenants.md. */
  readonly tenant: string | undefined;
  readonly threadId?: string | undefined;
}

/** The context of one call: the database, the policy of the saver, and what belongs to this call alone. */
export interface CallContext {
  readonly database: OpenedDatabase;
  /** Where reads that may be stale are sent; see `staleCall`. */
  readonly replica?: OpenedReplica | undefined;
  /** The schema that holds the tables. */
  readonly schema: string;
  /**
   * The optional tables that the call needs, as `migrate --with` names them. The `setup()` of the class with the first name creates them.
   * Default: the call needs the tables of the savers.
   */
  readonly optionalTables?: readonly string[] | undefined;
  /** The table of the checkpoint store, where the caller has chosen its name. */
  readonly checkpointTable?: string | undefined;
  readonly policy: StatementPolicy;
  /** Ends the call. The server cancels the statement that it runs for the call. */
  readonly signal?: AbortSignal | undefined;
  /** How long the statements of this call wait for one lock, in milliseconds. Default: no limit. */
  readonly lockTimeoutMs?: number | undefined;
  /** Whether the commit waits for synchronous standbys in any case, because an earlier attempt may have committed. */
  readonly confirmsEarlier?: boolean | undefined;
  /** What the call writes, for the error where row-level security refuses a row. Default: unknown. */
  readonly written?: (() => readonly WrittenRow[]) | undefined;
  /** Creates spans, metrics and log entries. Default: none. */
  readonly telemetry?: Telemetry;
  /** Records this call, where telemetry is active. */
  readonly observer?: ObservedCall | undefined;
  /** Told what the call waits for. */
  readonly progress?: CallProgress | undefined;
}

/** Returns the part of a call's context that sending a statement needs. */
export function runContextOf(call: CallContext): RunContext {
  const { policy, signal, lockTimeoutMs, confirmsEarlier, progress } = call;
  const { statementTimeoutMs, tenantId } = policy;
  return { signal, statementTimeoutMs, lockTimeoutMs, tenantId, confirmsEarlier, progress };
}
