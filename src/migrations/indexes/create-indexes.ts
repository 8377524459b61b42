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

/** The optional indexes to create or drop. */
export interface OptionalIndexOptions {
  /** The schema that holds the tables. Default: `public`. */
  readonly schema?: string;
  readonly indexes: readonly OptionalIndex[];
}

/**
 * Creates optional indexes without blocking writers: with `concurrently`, one after another. In a transaction that the caller
 * passed in, and on PGlite, they are created without it, which blocks writers. An index that an earlier attempt left broken is
 * rebuilt. An index that another session is building is left alone.
 *
 * @returns The state of each index.
 * @throws InvalidConfigError for an unknown name.
 * @throws PermissionError if the role does not own the tables.
 * @throws DatabaseError if a statement fails, for example because the tables are missing.
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
 * Drops optional indexes, `concurrently` where {@link createOptionalIndexes} would create them so. A missing index is not an error.
 *
 * @throws InvalidConfigError for an unknown name.
 * @throws PermissionError if the role does not own the tables.
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
 * Drops those of the indexes that an interrupted attempt left broken: writes maintain them, but no query uses them.
 *
 * @throws InvalidConfigError for an unknown name.
 * @throws PermissionError if the role does not own the tables.
 */
export async function dropBrokenIndexes(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", indexes }: OptionalIndexOptions,
): Promise<void> {
  const states = await optionalIndexStatus(db, { schema });
  await dropOptionalIndexes(db, { schema, indexes: indexes.filter((index) => states[index] === "broken") });
}

/** `concurrently` is impossible in a transaction, and useless if the database has only one connection. */
function isConcurrent(db: Kysely<CheckpointDatabase>): boolean {
  return !db.isTransaction && db.getExecutor().adapter.supportsMultipleConnections === true;
}

/**
 * Returns the SQL that {@link createOptionalIndexes} sends for missing indexes. Each statement must run on its own, outside a
 * transaction.
 *
 * @throws InvalidConfigError for an unknown name.
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
