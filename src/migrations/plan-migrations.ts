import { type CompiledQuery, InsertQueryNode, Kysely } from "kysely";
import { type MigrationResultSet, type Migrator, NO_MIGRATIONS } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { MigrationError } from "../errors/index.js";
import { BorrowedDialect } from "./borrowed-dialect.js";
import { inLockedTransaction } from "./in-locked-transaction.js";
import { DEFAULT_LOCK_TIMEOUT_MS } from "./default-lock-timeout.js";
import type { MigrateOptions } from "./migrate.js";
import { migrationStatus } from "./migration-status.js";
import { createMigrator, MIGRATION_TABLE } from "./migrator.js";
import { RecordingDialect } from "./recording-dialect.js";

/** The SQL that would bring a schema to the newest version. */
export interface MigrationPlan {
  /** The schema that was asked about. */
  readonly schema: string;
  /**
   * What comes before the first step: the lock that keeps other migrations away, and the tables that steps are recorded
   * in. Parameters are written out, without final semicolons. Empty where no step is pending.
   */
  readonly preparation: readonly string[];
  /** The steps that have not run yet, oldest first. */
  readonly steps: readonly PlannedStep[];
}

/** The SQL of one step that has not run yet. */
export interface PlannedStep {
  /** The step's name, as it will be recorded. */
  readonly name: string;
  /** Its statements in order, parameters written out, without final semicolons; the last one records the step. */
  readonly statements: readonly string[];
}

/**
 * Tells what {@link migrateToLatest} would run, without running it. All of the statements, in order and in one
 * transaction, do what it would do, so that someone who may change the schema can apply them by hand.
 *
 * @throws IncompatibleTablesError when the schema has tables of our names that are not ours.
 * @throws DatabaseError when the database can't be reached.
 * @throws MigrationError when the record of migrations does not fit the steps of this version.
 *
 * @example
 * ```ts
 * const { preparation, steps } = await planMigrations(db, { schema: "agents" });
 * const statements = [...preparation, ...steps.flatMap((step) => step.statements)];
 * console.log(["begin", ...statements, "commit"].map((statement) => `${statement};`).join("\n"));
 * ```
 */
export async function planMigrations(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions = {},
): Promise<MigrationPlan> {
  const { schema, applied, pending } = await migrationStatus(db, options);
  if (pending.length === 0) return { schema, preparation: [], steps: [] };
  // Migrating to where the schema stands is all that comes before the first step.
  const preparation = await record(db, options, (migrator) =>
    migrator.migrateTo(applied.at(-1) ?? NO_MIGRATIONS),
  );
  const everything = await record(db, options, (migrator) => migrator.migrateToLatest());
  return {
    schema,
    preparation: preparation.map(writeOut),
    steps: splitIntoSteps(everything.slice(preparation.length), pending),
  };
}

async function record(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions,
  run: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<readonly CompiledQuery[]> {
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  const dialect = new RecordingDialect(db.withoutPlugins());
  const recorder = new Kysely<CheckpointDatabase>({ dialect });
  await inLockedTransaction(recorder, schema, lockTimeoutMs, async (transaction) => {
    const { error } = await run(createMigrator(new BorrowedDialect<CheckpointDatabase>(transaction), schema));
    if (error !== undefined) throw planFailed(error);
  });
  return dialect.recorded;
}

function planFailed(error: unknown): Error {
  const cause = toDatabaseError(error);
  return new MigrationError(`the migration can't be planned: ${cause.message}`, { cause });
}

function splitIntoSteps(queries: readonly CompiledQuery[], names: readonly string[]): PlannedStep[] {
  const steps: string[][] = [[]];
  for (const query of queries) {
    steps.at(-1)?.push(writeOut(query));
    if (isRecordOfStep(query)) steps.push([]);
  }
  return names.map((name, index) => ({ name, statements: steps[index] ?? [] }));
}

function isRecordOfStep({ query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) && query.into?.table.identifier.name === MIGRATION_TABLE;
}

/** What looks like a parameter inside a quoted name or string is none. */
const QUOTED_OR_PARAMETER = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)/g;

function writeOut({ sql, parameters }: CompiledQuery): string {
  return sql.replaceAll(QUOTED_OR_PARAMETER, (found, position?: string) =>
    position === undefined ? found : literal(parameters[Number(position) - 1]),
  );
}

function literal(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new MigrationError(`a parameter of type ${typeof value} can't be written out`);
}
