import type { ObservedCall } from "../telemetry/observed-call.js";
import type { CallProgress } from "../telemetry/running-calls.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { OpenedDatabase } from "./opened-database.js";
import type { OpenedReplica } from "./replica/open-replica.js";
import type { RetryOptions } from "./statements/retry-transient.js";
import type { RunContext } from "./statements/transaction-steps.js";
import { type RawBuilder, sql } from "kysely";

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
  /** Whether the server must not compile the statements of this call by JIT. */
  readonly withoutJit?: boolean | undefined;
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
  const { policy, signal, lockTimeoutMs, confirmsEarlier, withoutJit, progress } = call;
  const { statementTimeoutMs, tenantId } = policy;
  return { signal, statementTimeoutMs, lockTimeoutMs, tenantId, confirmsEarlier, withoutJit, progress };
}

const MEBIBYTE = 2 ** 20;

/** The sizes of the portions in which large data is sent. */
export interface SizeLimits {
  /** How many bytes one statement sends. Larger data takes several statements in one transaction. */
  readonly statementBytes: number;
  /** How many bytes of a value one row returns. A longer value is read in pieces of this size. */
  readonly pieceBytes: number;
}

/**
 * Neither limits what can be stored. A base64 piece stays far below Node's longest string (about 512 MiB),
 * and a statement far below Postgres's longest message (1 GiB), even where a driver sends bytes in
 * hexadecimal. Smaller pieces would make Postgres decompress a compressed value more often, from its
 * beginning each time.
 */
export const DEFAULT_SIZE_LIMITS: SizeLimits = {
  statementBytes: 64 * MEBIBYTE,
  pieceBytes: 32 * MEBIBYTE,
};

/** A call whose statements have limits. */
interface LimitedCall {
  readonly policy: { readonly limits?: SizeLimits };
}

/** Returns the largest number of bytes of a value that a row contains. */
export function pieceBytesOf({ policy: { limits = DEFAULT_SIZE_LIMITS } }: LimitedCall): number {
  return limits.pieceBytes;
}

/** The size up to which values go into one statement, in bytes. */
export function statementBytesOf({ policy: { limits = DEFAULT_SIZE_LIMITS } }: LimitedCall): number {
  return limits.statementBytes;
}

/** What a role does with rows. */
export type RowCommand = "select" | "insert" | "update" | "delete";

/**
 * An expression for what row-level security lets the role do with no row of a table, since it is on and has no policy for that. Such a role
 * sees no row, and its writes are refused, whatever privileges it has: the default of providers that turn row-level security on.
 *
 * @param oid - The oid of the table.
 */
export function commandsWithoutPolicy(
  oid: RawBuilder<number> | RawBuilder<number | null>,
): RawBuilder<string[]> {
  return sql<string[]>`array(
    select commands.name from (values ('select', 'r'), ('insert', 'a'), ('update', 'w'), ('delete', 'd')) as commands (name, code)
    where row_security_active(${oid}) and not exists (
      select from pg_catalog.pg_policy
      where polrelid = ${oid} and polpermissive and polcmd::text in ('*', commands.code)
        and (0 = any (polroles) or exists (select from unnest(polroles) as member (role) where pg_has_role(role, 'usage')))))`;
}

/** Says that row-level security lets a role do nothing, and what to do. */
export function describeWithoutPolicy(tables: readonly string[]): string {
  const names = tables.map((table) => `"${table}"`).join(", ");
  return (
    `row-level security is on for ${names} and has no policy for this role, so that it sees no row and may store none. ` +
    "Create policies (docs/tenants.md), or turn it off as the owner of the tables: alter table … disable row level security"
  );
}
