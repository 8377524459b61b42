import { type Tables, inLockedTransaction, DEFAULT_LOCK_TIMEOUT_MS } from "./in-locked-transaction.js";
import { type CompiledQuery, InsertQueryNode, Kysely } from "kysely";
import { type MigrationResultSet, type Migrator, NO_MIGRATIONS } from "kysely/migration";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { MigrationError } from "../errors/index.js";
import { TransactionDialect, createMigrator, RecordingDialect } from "./migrator.js";
import type { MigrateOptions } from "./migrate.js";
import type { MigrationSet } from "./migration-set.js";
import { refuseToRecreate, repeatSteps } from "./missing-tables.js";
import { type SetStatus, setStatus } from "./migration-status.js";
import { presentSets } from "./sets.js";

/** The SQL that would migrate a schema to the newest version. */
export interface MigrationPlan {
  /** The name of the schema. */
  readonly schema: string;
  /**
   * The statements before the first step: they take the migration lock, and create the tables that record steps. They have no
   * parameters and no final semicolons. Empty if no step is pending.
   */
  readonly preparation: readonly string[];
  /** The pending steps, oldest first. */
  readonly steps: readonly PlannedStep[];
}

/** The SQL of one pending step. */
export interface PlannedStep {
  /** The recorded name of the step. */
  readonly name: string;
  /** The statements in order, without parameters and final semicolons. The last one records the step. */
  readonly statements: readonly string[];
}

/**
 * Returns the SQL that {@link migrateToLatest} would run, without running it. All statements, run by hand in order and in one
 * transaction, have the same result.
 *
 * @throws IncompatibleTablesError if the schema has tables of other columns with the same names.
 * @throws DatabaseError if the database can't be reached.
 * @throws MigrationError if the recorded steps don't fit the steps of this version.
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
  const { schema = "public" } = options;
  const preparation: string[] = [];
  const steps: PlannedStep[] = [];
  for (const set of await presentSets(db, schema, options)) {
    const status = await setStatus(db, schema, set);
    if (status.pending.length === 0) continue;
    const plan = await planSet(db, options, set, status);
    // Each set takes the same lock first.
    preparation.push(...plan.preparation.filter((statement) => !preparation.includes(statement)));
    steps.push(...plan.steps);
  }
  return { schema, preparation, steps };
}

async function planSet(
  db: Tables,
  options: MigrateOptions,
  set: MigrationSet,
  status: SetStatus,
): Promise<Omit<MigrationPlan, "schema">> {
  const { applied, pending, repeated } = status;
  await refuseToRecreate(plainKysely(db), options.schema ?? "public", set, status);
  // A migration to the current step runs only the statements before the first step.
  const preparation = await record(db, options, set, (migrator) =>
    migrator.migrateTo([...applied, ...repeated].at(-1) ?? NO_MIGRATIONS),
  );
  const everything = await record(db, options, set, (migrator) => migrator.migrateToLatest());
  return {
    preparation: preparation.map(inlineParameters),
    steps: [
      ...(await planRepeated(db, options, set, repeated)),
      ...splitIntoSteps(
        everything.slice(preparation.length),
        set,
        pending.filter((name) => !repeated.includes(name)),
      ),
    ],
  };
}

/** The steps that create missing tables again. They are recorded already. */
async function planRepeated(
  db: Tables,
  { schema = "public" }: MigrateOptions,
  set: MigrationSet,
  repeated: readonly string[],
): Promise<PlannedStep[]> {
  const steps: PlannedStep[] = [];
  for (const name of repeated) {
    const dialect = new RecordingDialect(plainKysely(db));
    await repeatSteps(dialect, schema, set, { repeated: [name] }).catch((error: unknown) => {
      throw planFailed(error);
    });
    steps.push({ name, statements: dialect.recorded.map(inlineParameters) });
  }
  return steps;
}

async function record(
  db: Tables,
  options: MigrateOptions,
  set: MigrationSet,
  run: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<readonly CompiledQuery[]> {
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  const dialect = new RecordingDialect(plainKysely(db));
  const recorder = new Kysely<CheckpointDatabase>({ dialect });
  await inLockedTransaction(recorder, schema, lockTimeoutMs, async (transaction) => {
    const { error } = await run(
      createMigrator(new TransactionDialect<CheckpointDatabase>(transaction), schema, set),
    );
    if (error !== undefined) throw planFailed(error);
  });
  return dialect.recorded;
}

function planFailed(error: unknown): Error {
  const cause = toDatabaseError(error);
  return new MigrationError(`the migration can't be planned: ${cause.message}`, { cause });
}

function splitIntoSteps(
  queries: readonly CompiledQuery[],
  { record }: MigrationSet,
  names: readonly string[],
): PlannedStep[] {
  const steps: string[][] = [[]];
  for (const query of queries) {
    steps.at(-1)?.push(inlineParameters(query));
    if (isInsertInto(record, query)) steps.push([]);
  }
  return names.map((name, index) => ({ name, statements: steps[index] ?? [] }));
}

function isInsertInto(table: string, { query }: CompiledQuery): boolean {
  return InsertQueryNode.is(query) && query.into?.table.identifier.name === table;
}

/** Quoted names and strings match too, since they may hold text that looks like a parameter. */
const QUOTED_OR_PARAMETER = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)/g;

function inlineParameters({ sql, parameters }: CompiledQuery): string {
  return sql.replaceAll(QUOTED_OR_PARAMETER, (found, position?: string) =>
    position === undefined ? found : literal(parameters[Number(position) - 1]),
  );
}

function literal(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new MigrationError(`can't write a parameter of type ${typeof value} as SQL`);
}
