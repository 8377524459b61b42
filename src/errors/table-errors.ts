import { DatabaseError, type DatabaseErrorOptions } from "./database-errors.js";

/**
 * The tables are missing or older than this version of the library.
 *
 * @remarks Run the command in the message. Check `schema`.
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
 * A migration step failed, can't be undone without losing data, can't create a table again that was dropped, or (`55P03`) waited too long
 * for a lock: `holders` names the sessions. Nothing of the run was kept.
 *
 * A wait that was too long is not repeated within the same call.
 *
 * @remarks See the message. After a wait, end those sessions or wait longer.
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
 * The server, or the PGlite, does not have pgvector, which embeddings are stored and searched with, or one that is too old.
 *
 * @remarks The message says what to install.
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
 * The schema has tables with the names that this library uses, but with other columns, or with partitions by another column than
 * `thread_id`. Nothing was changed.
 *
 * @remarks Convert those of Python's `ShallowPostgresSaver` or of the official JavaScript `PostgresStore` by the command in the message.
 * Else use another schema.
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
