import type { Tables } from "../in-locked-transaction.js";
import { textOfStatement } from "../catalog-expressions.js";
import type { Kysely, RawBuilder } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { hasOneConnection, plainKysely } from "../../db/kysely/plain-kysely.js";
import {
  type IndexState,
  optionalIndexStatus,
  readIndexStates,
  createIndexStatement,
  dropIndexStatement,
  type IndexDefinition,
  OPTIONAL_INDEXES,
  type OptionalIndex,
  parseOptionalIndexes,
  type WantedIndex,
} from "./optional-index.js";
import { partitionedIndexDrops, partitionedIndexStatements } from "./partitioned-index.js";

/** The optional indexes to create or drop. */
export interface OptionalIndexOptions {
  /** The schema that holds the tables. Default: `public`. */
  readonly schema?: string;
  readonly indexes: readonly OptionalIndex[];
  /**
   * The text search configuration of `store-text-index`: the same as the option of the stores, whose searches don't use another one.
   * An index that exists keeps its own. Default: `english`.
   */
  readonly textSearchLanguage?: string | undefined;
}

/**
 * Creates optional indexes without blocking writers: with `concurrently`, one after another. In a transaction that the caller
 * passed in, and on PGlite, they are created without it, which blocks writers. An index that an earlier attempt left broken is
 * rebuilt; that of a partitioned table is completed. An index that another session is building is left alone.
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
  { schema = "public", indexes, textSearchLanguage = "english" }: OptionalIndexOptions,
): Promise<Partial<Record<OptionalIndex, IndexState>>> {
  const wanted = parseOptionalIndexes(indexes);
  const plain = plainKysely(db);
  try {
    const stateOf = await readIndexStates(plain, schema);
    for (const index of definitionsOf(wanted)) {
      const created = { index, language: textSearchLanguage };
      for (const statement of await creationOf(plain, schema, created, stateOf(index))) {
        await statement.execute(plain);
      }
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
  try {
    await dropDefinitions(plainKysely(db), schema, definitionsOf(parseOptionalIndexes(indexes)));
  } catch (error) {
    throw toDatabaseError(error);
  }
}

async function dropDefinitions(
  plain: Tables,
  schema: string,
  definitions: readonly IndexDefinition[],
): Promise<void> {
  for (const index of definitions) {
    const ofPartitions = await partitionedIndexDrops(plain, schema, index);
    const drops = ofPartitions ?? [dropIndexStatement(schema, index, isConcurrent(plain))];
    for (const statement of drops) await statement.execute(plain);
  }
}

/**
 * Drops those of the indexes that an interrupted attempt left broken: writes maintain them, but no query uses them.
 *
 * @throws InvalidConfigError for an unknown name.
 * @throws PermissionError if the role does not own the tables.
 */
export async function dropBrokenIndexes(
  db: Tables,
  { schema = "public", indexes }: OptionalIndexOptions,
): Promise<void> {
  const plain = plainKysely(db);
  try {
    const stateOf = await readIndexStates(plain, schema);
    const broken = definitionsOf(parseOptionalIndexes(indexes)).filter(
      (index) => stateOf(index) === "broken",
    );
    await dropDefinitions(plain, schema, broken);
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** The statements that create an index, or what is missing of it. A broken one of a table that is not partitioned is created again. */
async function creationOf(
  db: Tables,
  schema: string,
  wanted: WantedIndex,
  state: IndexState,
): Promise<readonly RawBuilder<unknown>[]> {
  const concurrently = isConcurrent(db);
  if (state === "ready" || state === "building") return [];
  const ofPartitions = concurrently ? await partitionedIndexStatements(db, schema, wanted) : undefined;
  if (ofPartitions !== undefined) return ofPartitions;
  return [
    ...(state === "broken" ? [dropIndexStatement(schema, wanted.index, concurrently)] : []),
    createIndexStatement(schema, wanted, concurrently),
  ];
}

function definitionsOf(indexes: readonly OptionalIndex[]): readonly IndexDefinition[] {
  return indexes.flatMap((index) => OPTIONAL_INDEXES[index]);
}

/** `concurrently` is impossible in a transaction, and useless if the database has only one connection. */
function isConcurrent(db: Tables): boolean {
  return !db.isTransaction && !hasOneConnection(db);
}

/**
 * Returns the SQL that {@link createOptionalIndexes} sends for missing indexes. Each statement must run on its own, outside a
 * transaction.
 *
 * @throws InvalidConfigError for an unknown name.
 */
export async function planOptionalIndexes(
  db: Tables,
  { schema = "public", indexes, textSearchLanguage = "english" }: OptionalIndexOptions,
): Promise<string[]> {
  const statements: RawBuilder<unknown>[] = [];
  for (const index of definitionsOf(parseOptionalIndexes(indexes))) {
    const wanted = { index, language: textSearchLanguage };
    const ofPartitions = await partitionedIndexStatements(plainKysely(db), schema, wanted);
    statements.push(...(ofPartitions ?? [createIndexStatement(schema, wanted, true)]));
  }
  return statements.map(textOfStatement);
}
