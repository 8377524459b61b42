import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { type MigrationSet, type OptionalTables, withRequired } from "./migration-set.js";
import { CHECKPOINT_SET, type OptionalTableOptions, optionalSets } from "./sets.js";

/** Which optional tables to migrate, and what they are like. */
export interface WantedTables extends OptionalTableOptions {
  /** The optional tables to create, `vectors` together with `store`. Those that exist are migrated anyway. Default: none. */
  readonly with?: readonly OptionalTables[] | undefined;
}

/** Returns the sets that a schema has or should have: the tables of the savers, then the optional ones. */
export async function presentSets(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  { with: wanted = [], ...options }: WantedTables,
): Promise<MigrationSet[]> {
  const optional = optionalSets(options);
  const records = Object.values(optional).map(({ record }) => record);
  const present = sql<{ record: string }>`
    select record from unnest(${records}::text[]) record
    where to_regclass(format('%I.%I', ${schema}::text, record)) is not null`;
  const { rows } = await present.execute(db.withoutPlugins()).catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  const names: readonly string[] = withRequired(wanted);
  const isWanted = (name: string): boolean => names.includes(name);
  const isPresent = ({ record }: MigrationSet): boolean => rows.some((row) => row.record === record);
  return [
    CHECKPOINT_SET,
    ...Object.entries(optional).flatMap(([name, set]) => (isWanted(name) || isPresent(set) ? [set] : [])),
  ];
}
