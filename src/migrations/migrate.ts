import {
  type Tables,
  type OpenTransaction,
  DEFAULT_LOCK_TIMEOUT_MS,
  inLockedTransaction,
  readWithinLockTimeout,
  withRowSecurityOff,
} from "./in-locked-transaction.js";
import type { Kysely } from "kysely";
import type { MigrationResultSet, Migrator } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { migrateCommand } from "../db/migrate-command.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import {
  AbortError,
  DatabaseError,
  MigrationError,
  MigrationRequiredError,
  PermissionError,
  VectorExtensionError,
} from "../errors/index.js";
import { TransactionDialect, createMigrator } from "./migrator.js";
import { changeShardsInTurn, distributeNewTables } from "./distribution/distribute-tables.js";
import type { MigrationSet } from "./migration-set.js";
import { refuseToRecreate, repeatSteps } from "./missing-tables.js";
import { type SetStatus, setStatus } from "./migration-status.js";
import { presentSets, type WantedTables } from "./sets.js";

/** The options of a migration. */
export interface MigrateOptions extends WantedTables {
  /** The schema that holds the tables. It is created if it is missing. Default: `public`. */
  readonly schema?: string;
  /** How long to wait for another migration, and for table locks, in milliseconds. Default: 60,000. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Migrates a schema to the newest version: creates missing tables, and adopts the tables of either official saver without
 * changing a row. All steps run in one transaction. Any number of callers may migrate at the same time. If no step is pending,
 * the role needs only to read the tables.
 *
 * @param db - A Kysely on the database, or a transaction, which the caller then commits.
 * @returns The names of the steps that ran, oldest first.
 * @throws IncompatibleTablesError if the schema has tables of other columns with the same names, such as those of Python's
 *   `ShallowPostgresSaver`.
 * @throws MigrationRequiredError if steps are pending that the role may not run. It names the steps, and the command to run.
 * @throws MigrationError if a step fails. Nothing is changed then.
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
  return migrateSets(db, await presentSets(db, options.schema ?? "public", options), options);
}

/** Migrates the tables of some sets to their newest versions; see {@link migrateToLatest}. */
export async function migrateSets(
  db: Tables,
  sets: readonly MigrationSet[],
  options: MigrateOptions = {},
): Promise<string[]> {
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  const plain = plainKysely(db);
  const statuses = await readWithinLockTimeout(plain, schema, lockTimeoutMs, (reader) =>
    statusOf(reader, schema, sets),
  );
  const behind = statuses.filter(({ pending }) => pending.length > 0);
  if (behind.length === 0) return [];
  try {
    return await inLockedTransaction(plain, schema, lockTimeoutMs, async (transaction) => {
      const applied: string[] = [];
      await changeShardsInTurn(transaction, schema);
      for (const { set } of behind) {
        applied.push(...(await recreate(transaction, schema, set)));
        applied.push(...(await run(transaction, schema, set, (migrator) => migrator.migrateToLatest())));
      }
      await distributeNewTables(transaction, schema);
      return applied;
    });
  } catch (error) {
    if (error instanceof PermissionError) throw missingPrivilege(schema, behind, error);
    throw error;
  }
}

/**
 * Reverts the newest step, unless that would lose data.
 *
 * @returns The name of the reverted step, or `undefined` if no step is applied.
 * @throws MigrationError if reverting the step would lose data. Nothing is changed then.
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
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  const plain = plainKysely(db);
  const statuses = await readWithinLockTimeout(plain, schema, lockTimeoutMs, async (reader) =>
    statusOf(reader, schema, await presentSets(reader, schema, options)),
  );
  const newest = statuses.findLast(({ applied }) => applied.length > 0);
  if (newest === undefined) return undefined;
  const reverted = await inLockedTransaction(plain, schema, lockTimeoutMs, (transaction) =>
    withRowSecurityOff(transaction, async () => {
      await changeShardsInTurn(transaction, schema);
      const names = await run(transaction, schema, newest.set, (migrator) => migrator.migrateDown());
      // Otherwise the next migration would take the optional tables for present, and create them again.
      if (newest.applied.length === 1 && newest.set.optional !== undefined) {
        await transaction.withSchema(schema).schema.dropTable(newest.set.record).execute();
      }
      return names;
    }),
  );
  return reverted[0];
}

interface StatusOfSet extends SetStatus {
  readonly set: MigrationSet;
}

async function statusOf(db: Tables, schema: string, sets: readonly MigrationSet[]): Promise<StatusOfSet[]> {
  const statuses: StatusOfSet[] = [];
  for (const set of sets) statuses.push({ set, ...(await setStatus(db, schema, set)) });
  return statuses;
}

/** Creates missing tables again, if there are any: another process may have done so meanwhile. */
async function recreate(
  transaction: OpenTransaction,
  schema: string,
  set: MigrationSet,
): Promise<readonly string[]> {
  const status = await setStatus(transaction, schema, set);
  await withRowSecurityOff(transaction, () => refuseToRecreate(transaction, schema, set, status));
  const dialect = new TransactionDialect<CheckpointDatabase>(transaction);
  await repeatSteps(dialect, schema, set, status).catch((error: unknown) => {
    throw stepFailed(error, status.repeated[0]);
  });
  return status.repeated;
}

async function run(
  transaction: OpenTransaction,
  schema: string,
  set: MigrationSet,
  migrate: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<string[]> {
  const dialect = new TransactionDialect<CheckpointDatabase>(transaction);
  return namesOf(await migrate(createMigrator(dialect, schema, set)), dialect.firstError);
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
  const isExact = [PermissionError, AbortError, VectorExtensionError].some((kind) => cause instanceof kind);
  if (isExact) return cause;
  const place = step === undefined ? "the migration" : `step ${step}`;
  return new MigrationError(`${place} failed, nothing was changed: ${cause.message}`, {
    cause,
    step,
    sqlState: cause instanceof DatabaseError ? cause.sqlState : undefined,
  });
}

function missingPrivilege(schema: string, behind: readonly StatusOfSet[], cause: PermissionError): Error {
  const pending = behind.flatMap((status) => status.pending);
  const optional = behind.flatMap(({ set }) => (set.optional === undefined ? [] : [set.optional]));
  const named = behind.find(({ set }) => set.checkpointTable !== undefined)?.set.checkpointTable;
  return new MigrationRequiredError(
    schema,
    `schema "${schema}" lacks ${pending.join(", ")}, and this role may not change it (${cause.message}). ` +
      `Run \`${migrateCommand(schema, optional, named)}\` as a role that may`,
    { cause, pending, sqlState: cause.sqlState },
  );
}
