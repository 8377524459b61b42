import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { migrationStatus } from "./migration-status.js";
import { MIGRATION_STEPS } from "./steps/index.js";
import type { MigratedTables } from "./steps/step.js";

/** The SQL of one step that has not run yet. */
export interface PlannedStep {
  /** The step's name, as it will be recorded. */
  readonly name: string;
  /** Its statements in order, parameters written out, each without a final semicolon. */
  readonly statements: readonly string[];
}

/**
 * Tells what {@link migrateToLatest} would run, without running it.
 *
 * @example
 * ```ts
 * for (const step of await planMigrations(db)) console.log(step.name, step.statements.join(";\n"));
 * ```
 * @throws DatabaseError when the database can't be reached.
 */
export async function planMigrations(
  db: Kysely<CheckpointDatabase>,
  options: { readonly schema?: string } = {},
): Promise<PlannedStep[]> {
  const { schema, pending } = await migrationStatus(db, options);
  return Promise.all(pending.map(async (name) => ({ name, statements: await statementsOf(name, schema) })));
}

async function statementsOf(name: string, schema: string): Promise<string[]> {
  const statements: string[] = [];
  const recorder = new Kysely<MigratedTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      statements.push(inlineParameters(query));
    },
  });
  await MIGRATION_STEPS[name]?.up(recorder.withSchema(schema));
  return statements;
}

// For reading only: the statements that run are the parametrised ones. A step's parameters are numbers and names.
function inlineParameters({ sql, parameters }: CompiledQuery): string {
  return sql.replaceAll(/\$(\d+)/g, (hole, position: string) => {
    const value = parameters[Number(position) - 1];
    return typeof value === "number"
      ? String(value)
      : typeof value === "string"
        ? `'${value.replaceAll("'", "''")}'`
        : hole;
  });
}
