import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";
import { type IndexDefinition, OPTIONAL_INDEXES, type OptionalIndex } from "./optional-index.js";

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
  db: Kysely<CheckpointDatabase>,
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
