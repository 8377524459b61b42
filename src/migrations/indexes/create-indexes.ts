import { createQueryId, type Kysely, PostgresQueryCompiler } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { type IndexState, optionalIndexStatus } from "./index-status.js";
import {
  createIndexStatement,
  dropIndexStatement,
  type OptionalIndex,
  parseOptionalIndexes,
} from "./optional-index.js";

/** Which optional indexes, and where. */
export interface OptionalIndexOptions {
  /** The schema that holds the tables. Default `public`. */
  readonly schema?: string;
  readonly indexes: readonly OptionalIndex[];
}

/**
 * Creates optional indexes while agents go on writing: `concurrently`, each by itself; in a transaction that was lent, or on
 * PGlite, in the ordinary way, which keeps writers off. One that an earlier attempt left broken is built anew; one that
 * somebody else is building is left to him.
 *
 * @returns What each has come to.
 * @throws InvalidConfigError for a name that is none.
 * @throws PermissionError when the role does not own the tables.
 * @throws DatabaseError when the database refuses, as where the tables are missing.
 *
 * @example
 * ```ts
 * await createOptionalIndexes(db, { schema: "agents", indexes: ["run-index"] });
 * ```
 */
export async function createOptionalIndexes(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", indexes }: OptionalIndexOptions,
): Promise<Partial<Record<OptionalIndex, IndexState>>> {
  const wanted = parseOptionalIndexes(indexes);
  const plain = db.withoutPlugins();
  const before = await optionalIndexStatus(plain, { schema });
  try {
    for (const index of wanted) {
      if (before[index] === "broken") {
        await dropIndexStatement(schema, index, isConcurrent(plain)).execute(plain);
      }
      await createIndexStatement(schema, index, isConcurrent(plain)).execute(plain);
    }
  } catch (error) {
    throw toDatabaseError(error);
  }
  const after = await optionalIndexStatus(plain, { schema });
  return Object.fromEntries(wanted.map((index) => [index, after[index]]));
}

/**
 * Drops optional indexes, in the way that {@link createOptionalIndexes} creates them. Those that are not there are no error.
 *
 * @throws InvalidConfigError for a name that is none.
 * @throws PermissionError when the role does not own the tables.
 *
 * @example
 * ```ts
 * await dropOptionalIndexes(db, { schema: "agents", indexes: ["metadata-index"] });
 * ```
 */
export async function dropOptionalIndexes(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", indexes }: OptionalIndexOptions,
): Promise<void> {
  const plain = db.withoutPlugins();
  try {
    for (const index of parseOptionalIndexes(indexes)) {
      await dropIndexStatement(schema, index, isConcurrent(plain)).execute(plain);
    }
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Drops those of the indexes that an interrupted attempt has left half built: they cost every write, and serve no query.
 *
 * @throws InvalidConfigError for a name that is none.
 * @throws PermissionError when the role does not own the tables.
 */
export async function dropBrokenIndexes(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", indexes }: OptionalIndexOptions,
): Promise<void> {
  const states = await optionalIndexStatus(db, { schema });
  await dropOptionalIndexes(db, { schema, indexes: indexes.filter((index) => states[index] === "broken") });
}

/** It can't be where statements are in a transaction, and there is nobody to be kept off where there is one connection. */
function isConcurrent(db: Kysely<CheckpointDatabase>): boolean {
  return !db.isTransaction && db.getExecutor().adapter.supportsMultipleConnections === true;
}

/**
 * The SQL that {@link createOptionalIndexes} sends for indexes that are not there: each statement by itself, outside of
 * transactions.
 *
 * @throws InvalidConfigError for a name that is none.
 */
export function planOptionalIndexes({ schema = "public", indexes }: OptionalIndexOptions): string[] {
  return parseOptionalIndexes(indexes).map(
    (index) =>
      new PostgresQueryCompiler().compileQuery(
        createIndexStatement(schema, index, true).toOperationNode(),
        createQueryId(),
      ).sql,
  );
}
