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
 * The database returned an error or did not answer. `cause` is the driver's own error.
 *
 * A transient error (connection lost, server restarting, deadlock, serialization failure) is thrown only
 * after retries within the saver's `retry` option.
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
 * The connection could not be opened or was lost: the server is down, restarting or unreachable. Or the application held all connections
 * for longer than the call may wait, as in a call inside of a transaction that has the only one. That one is not transient.
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
 * A statement took longer than the saver's `statementTimeoutMs`. The server has cancelled it and stored
 * nothing of it. The saver does not retry it, since a retry would most likely take as long.
 *
 * It is also thrown, without an SQLSTATE, where a call waited that long for earlier calls on its thread. It was not sent then. Where there is
 * a `cause`, it was to be sent again: its first statement failed with that error.
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
 * The server has stored the change, but its wait for a synchronous standby was cancelled: by
 * `statementTimeoutMs`, by the `AbortSignal` of the call, or on the server. A failover may lose the change.
 * `cause` is the server's warning, where it was received.
 *
 * You can safely make the call again. It waits for the standbys, for the earlier change as well as for its
 * own.
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
 */
export class ReadOnlyError extends DatabaseError {
  override name = "ReadOnlyError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { sqlState: "25006", transient: true, ...options }, "READ_ONLY");
  }
}

/** The disk of the server is full. Nothing of the statement was stored. It is not retried: somebody has to make room. */
export class DiskFullError extends DatabaseError {
  override name = "DiskFullError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { sqlState: "53100", ...options }, "DISK_FULL");
  }
}

/**
 * The server cancelled the statement, and this library had not asked for it: by a `statement_timeout` of the role, of the database or of
 * the connection, or because somebody called `pg_cancel_backend`. Nothing of the statement was stored. It is not retried, since it would
 * most likely take as long. The saver's own `statementTimeoutMs` is a {@link StatementTimeoutError}.
 */
export class StatementCancelledError extends DatabaseError {
  override name = "StatementCancelledError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { sqlState: "57014", ...options }, "STATEMENT_CANCELLED");
  }
}

/** The role that the saver connects as lacks a privilege. */
export class PermissionError extends DatabaseError {
  override name = "PermissionError";
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, options, "PERMISSION_DENIED");
  }
}

/**
 * A saver has a `tenantId`, but row-level security is not active on the tables for its role, so that the
 * database does not separate tenants. Nothing was read or written.
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
 * A call relies on seeing all rows of a thread, and row-level security may hide some of them from this role and show others. Nothing
 * was deleted, stored or exported.
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

/**
 * The tables are missing or older than this version of the library. The message says which command to run.
 */
export class MigrationRequiredError extends DatabaseError {
  override name = "MigrationRequiredError";
  /** The schema that must be migrated. */
  readonly schema: string;
  /** The pending steps, oldest first; empty where they could not be determined. */
  readonly pending: readonly string[];

  constructor(
    schema: string,
    message: string,
    options: DatabaseErrorOptions & { readonly pending?: readonly string[] } = {},
  ) {
    super(message, options, "MIGRATION_REQUIRED");
    this.schema = schema;
    this.pending = options.pending ?? [];
  }
}

/** A session that holds a lock, as far as the role may see it. */
export interface LockHolder {
  /** The id of its server process. `undefined` for a prepared transaction, which has none. */
  readonly processId: number | undefined;
  /** The `application_name` of the session, where it has one. */
  readonly applicationName: string | undefined;
  /** When its transaction began. Without the rights of `pg_read_all_stats`, those of other roles are hidden. */
  readonly since: Date | undefined;
}

/** Options of a {@link MigrationError}. */
export interface MigrationErrorOptions extends DatabaseErrorOptions {
  readonly step?: string | undefined;
  readonly holders?: readonly LockHolder[];
}

/**
 * A migration step failed, can't be undone without losing data, or waited too long for a lock. Nothing of the run was kept.
 *
 * A wait that was too long has the SQLSTATE `55P03`. It is not repeated within the same call.
 */
export class MigrationError extends DatabaseError {
  override name = "MigrationError";
  /** The step that failed, where one had started. */
  readonly step: string | undefined;
  /** The sessions that held the lock which the migration waited for. Empty for any other failure, and where they can't be seen. */
  readonly holders: readonly LockHolder[];

  constructor(message: string, options: MigrationErrorOptions = {}) {
    super(message, options, "MIGRATION_FAILED");
    this.step = options.step;
    this.holders = options.holders ?? [];
  }
}

/**
 * The server does not have pgvector, which embeddings are stored and searched with, or one that is too old. The message says how to
 * install it.
 */
export class VectorExtensionError extends DatabaseError {
  override name = "VectorExtensionError";
  /** @param version - The installed version, where it is too old. */
  constructor(options: DatabaseErrorOptions = {}, version?: string) {
    super(
      version === undefined
        ? "the server has no extension `vector`: install pgvector on it (Debian: postgresql-17-pgvector, for example; Docker: the " +
            "image pgvector/pgvector); for PGlite, install the npm package @electric-sql/pglite-pgvector"
        : `the database has version ${version} of the extension \`vector\`, but a store needs 0.8: install a newer pgvector, and run ` +
            "`alter extension vector update`",
      options,
      "VECTOR_EXTENSION_MISSING",
    );
  }
}

/**
 * The schema has tables with the names that this library uses, but with other columns. Nothing was changed.
 *
 * If they are the tables of Python's `ShallowPostgresSaver` or of the official JavaScript `PostgresStore`, the message says which
 * command converts them.
 */
export class IncompatibleTablesError extends DatabaseError {
  override name = "IncompatibleTablesError";
  /** The schema that has the tables. */
  readonly schema: string;
  /** Which program's tables they are, or `partitions` for tables of savers that are partitioned by something else than `thread_id`. */
  readonly layout: "python-shallow" | "javascript-store" | "partitions" | "unknown";

  constructor(schema: string, layout: IncompatibleTablesError["layout"], message: string) {
    super(message, {}, "INCOMPATIBLE_TABLES");
    this.schema = schema;
    this.layout = layout;
  }
}

function namesOf(schema: string, tables: readonly string[]): string {
  return tables.map((table) => `"${schema}"."${table}"`).join(", ");
}
