import type { Kysely, Transaction } from "kysely";
import type { MigrationResultSet, Migrator } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { migrateCommand } from "../db/migrate-command.js";
import { toDatabaseError } from "../db/to-database-error.js";
import {
  AbortError,
  DatabaseError,
  MigrationError,
  MigrationRequiredError,
  PermissionError,
} from "../errors/index.js";
import { BorrowedDialect } from "./borrowed-dialect.js";
import { DEFAULT_LOCK_TIMEOUT_MS } from "./default-lock-timeout.js";
import { inLockedTransaction } from "./in-locked-transaction.js";
import { migrationStatus } from "./migration-status.js";
import { createMigrator } from "./migrator.js";
import { seeingAllRows } from "./seeing-all-rows.js";

/** Where and how to migrate. */
export interface MigrateOptions {
  /** The schema that holds the tables; it is created when it is missing. Default `public`. */
  readonly schema?: string;
  /** How long to wait for another migration, and for a table that a query holds, in milliseconds. Default 60,000. */
  readonly lockTimeoutMs?: number;
}

/**
 * Brings a schema to the newest version: creates what is missing, adopts the tables of either official saver without
 * touching a row. All steps run in one transaction, any number of callers may do it at once, and where nothing is to
 * be done nothing but reading is needed.
 *
 * @param db - A Kysely on the database, or a transaction of the caller's own (which then commits the migration).
 * @returns The names of the steps that ran, oldest first.
 * @throws IncompatibleTablesError when the schema has tables of our names that are not ours, such as those of Python's
 *   `ShallowPostgresSaver`.
 * @throws MigrationRequiredError when the role may not do what is to be done; it says what, and which command does it.
 * @throws MigrationError when a step fails. Nothing is kept then.
 *
 * @example
 * ```ts
 * import { openDatabase } from "langgraph-checkpoint-kysely/db";
 * import { migrateToLatest } from "langgraph-checkpoint-kysely/migrations";
 *
 * const database = openDatabase(process.env.DATABASE_URL ?? "");
 * console.log(await migrateToLatest(database.kysely, { schema: "agents" }));
 * await database.close();
 * ```
 */
export async function migrateToLatest(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions = {},
): Promise<string[]> {
  const schema = options.schema ?? "public";
  const { pending } = await migrationStatus(db, { schema });
  if (pending.length === 0) return [];
  try {
    return await runLocked(db, options, (migrator) => migrator.migrateToLatest());
  } catch (error) {
    if (error instanceof PermissionError) throw missingPrivilege(schema, pending, error);
    throw error;
  }
}

/**
 * Undoes the newest step, where that loses nothing.
 *
 * @returns The name of the step that was undone, or `undefined` when none was left.
 * @throws MigrationError when undoing it would lose data; nothing is changed then.
 *
 * @example
 * ```ts
 * await migrateDown(db, { schema: "agents" });
 * ```
 */
export async function migrateDown(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions = {},
): Promise<string | undefined> {
  const { applied } = await migrationStatus(db, { schema: options.schema ?? "public" });
  if (applied.length === 0) return undefined;
  const undone = await runLocked(db, options, (migrator) => migrator.migrateDown(), seeingAllRows);
  return undone[0];
}

async function runLocked(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions,
  run: (migrator: Migrator) => Promise<MigrationResultSet>,
  around: typeof seeingAllRows = (_transaction, work) => work(),
): Promise<string[]> {
  const schema = options.schema ?? "public";
  const work = async (transaction: Transaction<CheckpointDatabase>): Promise<string[]> => {
    const dialect = new BorrowedDialect<CheckpointDatabase>(transaction);
    return around(transaction, async () =>
      namesOf(await run(createMigrator(dialect, schema)), dialect.firstError),
    );
  };
  return inLockedTransaction(
    db.withoutPlugins(),
    schema,
    options.lockTimeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS,
    work,
  );
}

function namesOf({ error, results = [] }: MigrationResultSet, firstError: unknown): string[] {
  if (error !== undefined) {
    const failed = results.find(({ status }) => status === "Error");
    throw stepFailed(firstError ?? error, failed?.migrationName);
  }
  return results.map(({ migrationName }) => migrationName);
}

function stepFailed(error: unknown, step: string | undefined): Error {
  const cause = toDatabaseError(error);
  if (cause instanceof PermissionError || cause instanceof AbortError) return cause;
  const place = step === undefined ? "the migration" : `step ${step}`;
  return new MigrationError(`${place} failed, nothing was changed: ${cause.message}`, {
    cause,
    step,
    sqlState: cause instanceof DatabaseError ? cause.sqlState : undefined,
  });
}

function missingPrivilege(schema: string, pending: readonly string[], cause: PermissionError): Error {
  return new MigrationRequiredError(
    schema,
    `schema "${schema}" lacks ${pending.join(", ")}, and this role may not change it (${cause.message}). ` +
      `Run \`${migrateCommand(schema)}\` once, as a role that may`,
    { cause, pending, sqlState: cause.sqlState },
  );
}
