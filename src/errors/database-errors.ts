import {
  type CheckpointErrorCode,
  CheckpointError,
  type CheckpointErrorOptions,
} from "./checkpoint-error.js";

/** Options of a {@link DatabaseError}. */
export interface DatabaseErrorOptions extends CheckpointErrorOptions {
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState?: string | undefined;
  /** Whether a retry of the same call may succeed. */
  readonly transient?: boolean;
}

/**
 * The database refused or did not answer. `sqlState` and `cause`, the driver's own error, say why: `28P01` is a wrong password, `3D000` no
 * such database, `53300` no connections left.
 *
 * A transient error (connection lost, server restarting, deadlock, serialization failure) is thrown only after retries within the saver's
 * `retry` option.
 *
 * @remarks Look up the SQLSTATE in PostgreSQL's documentation.
 */
export class DatabaseError extends CheckpointError {
  override name = "DatabaseError";
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState: string | undefined;
  /** Whether a retry of the same call may succeed. */
  readonly transient: boolean;

  constructor(
    message: string,
    options: DatabaseErrorOptions = {},
    code: CheckpointErrorCode = "DATABASE_ERROR",
  ) {
    super(code, message, options);
    this.sqlState = options.sqlState;
    this.transient = options.transient ?? false;
  }
}

/**
 * The connection could not be opened or was lost: the server is down, restarting or unreachable, or its certificate is refused. Or the
 * application held all connections for longer than the call may wait, as in a call inside of a transaction that has the only one. That one
 * is not transient.
 *
 * @remarks Run `doctor`. Check the address and the size of the pool.
 */
export class ConnectionError extends DatabaseError {
  override name = "ConnectionError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { transient: true, ...options }, "CONNECTION_FAILED");
  }
}

/** Options of a {@link StatementTimeoutError}. */
export interface StatementTimeoutErrorOptions extends DatabaseErrorOptions {
  /** What took too long. Default: the statement. */
  readonly problem?: string;
}

/**
 * A statement took longer than the saver's `statementTimeoutMs`, often because it waited for a lock, and the server has cancelled it.
 * Without an SQLSTATE, the call waited that long for earlier calls on its thread, and was not sent. Nothing was stored.
 *
 * The saver does not retry it, since a retry would most likely take as long. A call that waited and has a `cause` was to be sent again:
 * its first statement failed with that error.
 *
 * @remarks Find out who waits, or raise the timeout.
 */
export class StatementTimeoutError extends DatabaseError {
  override name = "StatementTimeoutError";
  /** The timeout, in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options: StatementTimeoutErrorOptions = {}) {
    const { problem = `the statement took longer than ${timeoutMs} ms and was cancelled` } = options;
    super(problem, { sqlState: "57014", ...options }, "STATEMENT_TIMEOUT");
    this.timeoutMs = timeoutMs;
  }
}

/**
 * The server has stored the change, but its wait for a synchronous standby was cancelled: by `statementTimeoutMs`, by the `AbortSignal` of
 * the call, or on the server. A failover may lose the change.
 *
 * `cause` is the server's warning, where it was received. A second call waits for the standbys, for the earlier change as well as for its
 * own.
 *
 * @remarks Make the call again.
 */
export class NotReplicatedError extends DatabaseError {
  override name = "NotReplicatedError";
  constructor(options: DatabaseErrorOptions = {}) {
    super(
      "the change is stored, but the wait for a synchronous standby was cancelled: a failover may lose it",
      options,
      "NOT_REPLICATED",
    );
  }
}

/**
 * The server takes no writes: it is a standby, or `default_transaction_read_only` is on. `message` says which, and what to do. It is
 * transient where a failover may change it, and not where the setting is that of the role, of the database or of the connection.
 *
 * @remarks Connect to the primary, or turn the setting off for this role.
 */
export class ReadOnlyError extends DatabaseError {
  override name = "ReadOnlyError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { sqlState: "25006", transient: true, ...options }, "READ_ONLY");
  }
}

/**
 * The disk of the server is full. Nothing of the statement was stored. It is not retried.
 *
 * @remarks Make room.
 */
export class DiskFullError extends DatabaseError {
  override name = "DiskFullError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { sqlState: "53100", ...options }, "DISK_FULL");
  }
}

/**
 * The server cancelled the statement, and this library had not asked for it: by a `statement_timeout` of the role, of the database or of
 * the connection, or because somebody called `pg_cancel_backend`. Nothing of it was stored.
 *
 * It is not retried, since it would most likely take as long. The saver's own `statementTimeoutMs` is a {@link StatementTimeoutError}.
 *
 * @remarks Raise it with `alter role … set statement_timeout`, and use the saver's `statementTimeoutMs`.
 */
export class StatementCancelledError extends DatabaseError {
  override name = "StatementCancelledError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { sqlState: "57014", ...options }, "STATEMENT_CANCELLED");
  }
}

/**
 * The role that the saver connects as lacks a privilege. Or, where row-level security refuses, the thread or item belongs to another
 * tenant.
 *
 * @remarks Run `migrate --print-grants`. Or check `tenantId`, and the thread id or the namespace.
 */
export class PermissionError extends DatabaseError {
  override name = "PermissionError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, options, "PERMISSION_DENIED");
  }
}

/**
 * A saver has a `tenantId`, but row-level security is not active on the tables for its role, so that the database does not separate
 * tenants. Nothing was read or written.
 *
 * @remarks Set up the policies, and connect neither as the owner nor as a superuser. On Citus, give each tenant a schema.
 */
export class RowSecurityError extends DatabaseError {
  override name = "RowSecurityError";
  /** The tables whose rows every tenant would see. */
  readonly tables: readonly string[];

  constructor(
    schema: string,
    tables: readonly string[],
    { isOnNodes = false, ...options }: DatabaseErrorOptions & { readonly isOnNodes?: boolean } = {},
  ) {
    const names = namesOf(schema, tables);
    super(
      isOnNodes
        ? `row-level security can't separate tenants on ${names}: Citus keeps the rows on other servers, which don't get ` +
            "the tenant of a call; give each tenant a schema of its own"
        : `row-level security is not active for this role on ${names}: it does not apply to superusers, to the owner of a ` +
            "table, or to roles with BYPASSRLS",
      options,
      "ROW_SECURITY_INACTIVE",
    );
    this.tables = tables;
  }
}

/**
 * A call relies on seeing all rows of a thread, and row-level security may hide some of them from this role and show others. Nothing was
 * deleted, stored or exported.
 *
 * @remarks Use the owner of the tables or a role with `BYPASSRLS`, or give all three tables the same policies.
 */
export class HiddenRowsError extends DatabaseError {
  override name = "HiddenRowsError";
  /** The tables whose policies apply to this role. */
  readonly tables: readonly string[];

  constructor(schema: string, tables: readonly string[], options: DatabaseErrorOptions = {}) {
    super(
      `row-level security on ${namesOf(schema, tables)} may hide some rows of a thread from this role and show others, so that nobody knows which rows ` +
        "belong together; use a role that sees all rows, such as the owner of the tables or one with BYPASSRLS, or give checkpoints, " +
        "checkpoint_blobs and checkpoint_writes the same policies, by thread_id",
      options,
      "ROWS_HIDDEN",
    );
    this.tables = tables;
  }
}

function namesOf(schema: string, tables: readonly string[]): string {
  return tables.map((table) => `"${schema}"."${table}"`).join(", ");
}
