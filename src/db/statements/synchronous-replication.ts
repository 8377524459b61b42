import { sql } from "kysely";
import { type BoundStatement, Statement } from "./statement.js";

/** A warning of the server, as pg passes it on. */
export interface Warning {
  readonly code?: string | undefined;
  readonly routine?: string | undefined;
}

const WARNING_STATE = "01000";
const ADMIN_SHUTDOWN_STATE = "57P01";
/**
 * The server's function that waits for synchronous standbys. The warning names it in every language. The
 * SQLSTATEs alone don't identify the warning: the first is the default of all warnings, and a shutdown has
 * the second too.
 */
const WAITING_ROUTINE = "SyncRepWaitForLSN";

/**
 * Whether the server says that it has committed without waiting until a synchronous standby had the commit.
 * It reports success where the wait was cancelled, and nothing else where the connection was terminated.
 */
export function isUnreplicated({ code, routine }: Warning): boolean {
  return (code === WARNING_STATE || code === ADMIN_SHUTDOWN_STATE) && routine === WAITING_ROUTINE;
}

/** Whether the library may retry the call by itself. It must not where the wait was cancelled on purpose. */
export function isWorthRepeating({ code }: Warning): boolean {
  return code === ADMIN_SHUTDOWN_STATE;
}

/** Reads whether commits of the session wait for a synchronous standby. */
export function replicationState(): BoundStatement<{ waits: boolean }> {
  return waitsForStandby.bind("", {});
}

/**
 * Makes the transaction wait for the standbys even if it changes nothing: an earlier attempt may have stored
 * everything, and Postgres waits only for transactions that have written something. The standbys receive the
 * log in order, so that they then have the earlier attempt too.
 */
export function confirmEarlier(): BoundStatement<unknown> {
  return writeToLog.bind("", {});
}

const waitsForStandby = new Statement<object, { waits: boolean }>((db) =>
  db.selectNoFrom(
    sql<boolean>`current_setting('synchronous_standby_names') <> ''
      and current_setting('synchronous_commit') not in ('off', 'local')`.as("waits"),
  ),
);

const writeToLog = new Statement<object, unknown>((db) =>
  db.selectNoFrom(
    sql<string | null>`case when current_setting('synchronous_standby_names') <> ''
      then pg_logical_emit_message(true, 'langgraph-checkpoint-kysely', '') end`.as("position"),
  ),
);
