import { sql } from "kysely";
import type { RunContext } from "../statements/run-context.js";
import { type BoundStatement, Statement } from "../statements/statement.js";

/** A warning of the server, as pg hands it on. */
export interface Warning {
  readonly code?: string | undefined;
  readonly routine?: string | undefined;
}

const WARNING_STATE = "01000";
const ADMIN_SHUTDOWN_STATE = "57P01";
/**
 * The server's own function that waits for synchronous standbys, which the warning names in every language. The states alone don't
 * tell it from other warnings: the first is that of all which have none of their own, the second that of a shutdown too.
 */
const WAITING_ROUTINE = "SyncRepWaitForLSN";

/**
 * Whether the server says that it has committed, but has not waited until a synchronous standby had the commit. It then reports
 * success where the wait was cancelled, and nothing more where the connection was terminated.
 */
export function isUnreplicated({ code, routine }: Warning): boolean {
  return (code === WARNING_STATE || code === ADMIN_SHUTDOWN_STATE) && routine === WAITING_ROUTINE;
}

/** Whether the call may be made again without the caller: not where somebody wanted it to end. */
export function isWorthRepeating({ code }: Warning): boolean {
  return code === ADMIN_SHUTDOWN_STATE;
}

/** Reads whether commits of the session wait for a synchronous standby. */
export function replicationState(): BoundStatement<{ waits: boolean }> {
  return waitsForStandby.bind("", {});
}

/**
 * What has the transaction wait for the standbys, even where it changes nothing: an earlier attempt may have done all there
 * was to do, and Postgres waits only for transactions that have written something. The standbys receive the log in its order,
 * so that they then have the earlier attempt too.
 */
export function confirmEarlier({ confirmsEarlier }: RunContext): BoundStatement<unknown>[] {
  return confirmsEarlier === true ? [writeToLog.bind("", {})] : [];
}

const waitsForStandby = /* @__PURE__ */ new Statement<object, { waits: boolean }>((db) =>
  db.selectNoFrom(
    sql<boolean>`current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local')`.as("waits"),
  ),
);

const writeToLog = /* @__PURE__ */ new Statement<object, unknown>((db) =>
  db.selectNoFrom(
    sql<string | null>`case when current_setting('synchronous_standby_names') <> ''
      then pg_logical_emit_message(true, 'langgraph-checkpoint-kysely', '') end`.as("position"),
  ),
);
