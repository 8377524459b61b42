import type { Tables } from "../in-locked-transaction.js";
import { type RawBuilder, sql, type Kysely } from "kysely";
import { itemTexts } from "../../db/item-texts.js";
import { isReadable, jsonWords, storedWords } from "../../db/stored-words.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";

/** An index that not every service needs. See docs/indexes.md for its costs and benefits. */
export type OptionalIndex =
  | "time-index"
  | "metadata-index"
  | "run-index"
  | "waiting-index"
  | "text-index"
  | "store-text-index";

/** An index in the database. */
export interface IndexDefinition {
  /** The name of the index in the database. */
  readonly name: string;
  readonly table: string;
  /** The part of `create index` after the table, for a text search configuration. */
  readonly on: (language: string) => RawBuilder<unknown>;
}

/** The definitions of the indexes, by the names that callers use. One that covers several tables has an index in each. */
export const OPTIONAL_INDEXES: Readonly<Record<OptionalIndex, readonly IndexDefinition[]>> = {
  // For `list` over all threads. Ids of checkpoints are in the order of time.
  "time-index": [
    { name: "checkpoint_time_idx", table: "checkpoints", on: () => sql`(checkpoint_id collate "C")` },
  ],
  // For `list` and `listThreads` with a filter. `jsonb_path_ops` is smaller than the default, and supports `@>`.
  "metadata-index": [
    {
      name: "checkpoint_metadata_idx",
      table: "checkpoints",
      on: () => sql`using gin (metadata jsonb_path_ops)`,
    },
  ],
  // For `deleteForRuns`. Leaves out checkpoints without a run.
  "run-index": [
    {
      name: "checkpoint_run_idx",
      table: "checkpoints",
      on: () => sql`((metadata ->> 'run_id')) where (metadata ->> 'run_id') is not null`,
    },
  ],
  // For the inspector's lists of threads that wait for an answer or have failed. A subgraph's interrupts and errors are also those of the
  // task that called it, in the root namespace.
  "waiting-index": [
    {
      name: "checkpoint_waiting_idx",
      table: "checkpoint_writes",
      on: () =>
        sql`(thread_id, checkpoint_id, task_id, channel)
        where checkpoint_ns = '' and channel in ('__interrupt__', '__error__')`,
    },
  ],
  // For the inspector's search in the texts of values, of questions and of errors.
  "text-index": [
    {
      name: "checkpoint_blobs_text_idx",
      table: "checkpoint_blobs",
      on: () => sql`using gin (${storedWords(sql`blob`)}) where ${isReadable}`,
    },
    {
      name: "checkpoint_text_idx",
      table: "checkpoints",
      on: () => sql`using gin (${jsonWords(sql`checkpoint -> 'channel_values'`)})`,
    },
    {
      name: "checkpoint_writes_text_idx",
      table: "checkpoint_writes",
      on: () =>
        sql`using gin (${storedWords(sql`blob`)}) where channel in ('__interrupt__', '__error__') and ${isReadable}`,
    },
  ],
  // For searches by text in a large scope.
  "store-text-index": [
    {
      name: "store_text_idx",
      table: "store",
      on: (language) => sql`using gin (${itemTexts(sql`value`, language)})`,
    },
  ],
};

/** An index to create. */
export interface WantedIndex {
  readonly index: IndexDefinition;
  /** The text search configuration of an index of texts. */
  readonly language: string;
}

/** @throws InvalidConfigError for an unknown name. */
export function parseOptionalIndexes(names: readonly string[]): OptionalIndex[] {
  for (const name of names) {
    if (!isOptionalIndex(name)) {
      const known = Object.keys(OPTIONAL_INDEXES).join(", ");
      throw new InvalidConfigError("indexes", `unknown optional index "${name}"; expected one of ${known}`);
    }
  }
  return [...new Set(names)].filter(isOptionalIndex);
}

function isOptionalIndex(name: string): name is OptionalIndex {
  return Object.hasOwn(OPTIONAL_INDEXES, name);
}

/** The statement that creates an index. With `concurrently`, it does not block writers, but can't run in a transaction. */
export function createIndexStatement(
  schema: string,
  { index, language }: WantedIndex,
  concurrently: boolean,
): RawBuilder<unknown> {
  const { name, table, on } = index;
  const command = concurrently ? sql`create index concurrently` : sql`create index`;
  return sql`${command} if not exists ${sql.id(name)} on ${sql.id(schema, table)} ${on(language)}`;
}

/** The statement that drops an index. */
export function dropIndexStatement(
  schema: string,
  { name }: IndexDefinition,
  concurrently: boolean,
): RawBuilder<unknown> {
  const command = concurrently ? sql`drop index concurrently` : sql`drop index`;
  return sql`${command} if exists ${sql.id(schema, name)}`;
}

/**
 * The state of an optional index. A failed or interrupted `create index concurrently` leaves a `broken` one: writes maintain it,
 * but no query uses it.
 */
export type IndexState = "missing" | "building" | "ready" | "broken";

interface IndexRow {
  name: string;
  is_valid: boolean;
  is_building: boolean;
}

/**
 * Returns the state of each optional index. Reads only the catalog, which every role may read.
 *
 * @throws DatabaseError if the database can't be reached.
 *
 * @example
 * ```ts
 * const { "run-index": state } = await optionalIndexStatus(db, { schema: "agents" });
 * ```
 */
export async function optionalIndexStatus(
  db: Kysely<CheckpointDatabase>,
  options: { readonly schema?: string } = {},
): Promise<Record<OptionalIndex, IndexState>> {
  const { schema = "public" } = options;
  try {
    const stateOf = await readIndexStates(plainKysely(db), schema);
    const worstOf = (index: OptionalIndex): IndexState => {
      const states = OPTIONAL_INDEXES[index].map(stateOf);
      return WORST_FIRST.find((state) => states.includes(state)) ?? "ready";
    };
    return {
      "time-index": worstOf("time-index"),
      "metadata-index": worstOf("metadata-index"),
      "run-index": worstOf("run-index"),
      "waiting-index": worstOf("waiting-index"),
      "text-index": worstOf("text-index"),
      "store-text-index": worstOf("store-text-index"),
    };
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** An index of several tables has the state of the worst of them. */
const WORST_FIRST = ["building", "broken", "missing"] as const satisfies readonly IndexState[];

/** Returns what tells the state of each index in a schema. */
export async function readIndexStates(
  db: Tables,
  schema: string,
): Promise<(index: IndexDefinition) => IndexState> {
  const { rows } = await sql<IndexRow>`
    select
      relation.relname as name,
      index.indisvalid as is_valid,
      exists (
        select from pg_catalog.pg_stat_progress_create_index as progress
        left join pg_catalog.pg_class as part on part.oid = progress.index_relid
        -- Those of partitions are built one after the other.
        where progress.index_relid = relation.oid or part.relname = relation.relname || '_' || progress.relid
      ) as is_building
    from pg_catalog.pg_index as index
    join pg_catalog.pg_class as relation on relation.oid = index.indexrelid
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = ${schema}`.execute(db);
  return (index) => {
    const row = rows.find(({ name }) => name === index.name);
    if (row === undefined) return "missing";
    if (row.is_valid) return "ready";
    return row.is_building ? "building" : "broken";
  };
}
