import { CheckpointError, type CheckpointErrorOptions } from "./checkpoint-error.js";

/** What a {@link DatabaseError} is built from. */
export interface DatabaseErrorOptions extends CheckpointErrorOptions {
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState?: string | undefined;
  /** Whether the same call may succeed if it is made again. */
  readonly transient?: boolean;
}

/**
 * The database refused or did not answer. `cause` is the driver's own error.
 *
 * A transient one (connection lost, server restarting, deadlock, serialization failure) has been retried within the
 * bound of the saver's `retry` option before it is thrown.
 */
export class DatabaseError extends CheckpointError {
  /** The five-character SQLSTATE, where the server sent one. */
  readonly sqlState: string | undefined;
  /** Whether the same call may succeed if it is made again. */
  readonly transient: boolean;

  constructor(message: string, options: DatabaseErrorOptions = {}, code = "DATABASE_ERROR") {
    super(code, message, options);
    this.sqlState = options.sqlState;
    this.transient = options.transient ?? false;
  }
}

/** The connection could not be made or was lost: the server is down, restarting, or out of reach. */
export class ConnectionError extends DatabaseError {
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, { transient: true, ...options }, "CONNECTION_FAILED");
  }
}

/**
 * A statement took longer than the saver's `statementTimeoutMs`, and the server has cancelled it: nothing of it was
 * stored. It is not tried again, since it would most likely take as long.
 */
export class StatementTimeoutError extends DatabaseError {
  /** How long it was allowed to take, in milliseconds. */
  readonly timeoutMs: number;

  constructor(timeoutMs: number, options: DatabaseErrorOptions = {}) {
    super(
      `the statement took longer than ${timeoutMs} ms and was cancelled`,
      { sqlState: "57014", ...options },
      "STATEMENT_TIMEOUT",
    );
    this.timeoutMs = timeoutMs;
  }
}

/**
 * The server has stored the change, but its wait for a synchronous standby was cancelled: by `statementTimeoutMs`, by the
 * `AbortSignal` of the call, or on the server. A failover may lose the change. `cause` is the server's warning, where it was seen.
 *
 * To make the call again is safe. It waits for the standbys too, for the earlier change as well as for its own.
 */
export class NotReplicatedError extends DatabaseError {
  constructor(options: DatabaseErrorOptions = {}) {
    super(
      "the change is stored, but the wait for a synchronous standby was cancelled: a failover may lose it",
      options,
      "NOT_REPLICATED",
    );
  }
}

/** The role that the saver connects with lacks a privilege. */
export class PermissionError extends DatabaseError {
  constructor(message: string, options: DatabaseErrorOptions = {}) {
    super(message, options, "PERMISSION_DENIED");
  }
}

/**
 * A saver with `tenantId` on a database that does not keep tenants apart for its role: row-level security is not active on
 * the tables. Nothing was read or written.
 */
export class RowSecurityError extends DatabaseError {
  /** The tables that every tenant would see all rows of. */
  readonly tables: readonly string[];

  constructor(schema: string, tables: readonly string[], options: DatabaseErrorOptions = {}) {
    const names = tables.map((table) => `"${schema}"."${table}"`).join(", ");
    super(
      `row-level security is not active for this role on ${names}: superusers, the owner of a table and roles with ` +
        "BYPASSRLS are not bound by it",
      options,
      "ROW_SECURITY_INACTIVE",
    );
    this.tables = tables;
  }
}

/** The tables are missing or older than this version of the library; the message says which command to run. */
export class MigrationRequiredError extends DatabaseError {
  /** The schema that is behind. */
  readonly schema: string;
  /** The steps that have not run there, oldest first; empty where that could not be told. */
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

/** A migration step failed, or can't be undone without losing data. Nothing of the run was kept. */
export class MigrationError extends DatabaseError {
  /** The step that failed, where one had begun. */
  readonly step: string | undefined;

  constructor(message: string, options: DatabaseErrorOptions & { readonly step?: string | undefined } = {}) {
    super(message, options, "MIGRATION_FAILED");
    this.step = options.step;
  }
}

/**
 * The schema has tables of the names that this library uses, with other columns. Nothing was changed.
 *
 * Where they are those of Python's `ShallowPostgresSaver`, the message says which command converts them.
 */
export class IncompatibleTablesError extends DatabaseError {
  /** The schema that has the tables. */
  readonly schema: string;
  /** Whose tables they are. */
  readonly layout: "python-shallow" | "unknown";

  constructor(schema: string, layout: IncompatibleTablesError["layout"], message: string) {
    super(message, {}, "INCOMPATIBLE_TABLES");
    this.schema = schema;
    this.layout = layout;
  }
}
