import { type RawBuilder, sql } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";

/** An index that pays for some and only costs others; see docs/indexes.md for what it costs, and when it pays. */
export type OptionalIndex = "metadata-index" | "run-index";

interface IndexDefinition {
  /** Its name in the database. */
  readonly name: string;
  readonly table: string;
  /** What stands behind the table in `create index`. */
  readonly on: RawBuilder<unknown>;
}

/** What each is, by the name that it is asked for by. */
export const OPTIONAL_INDEXES: Readonly<Record<OptionalIndex, IndexDefinition>> = {
  // Serves `list` and `listThreads` with a filter. Of the two kinds the one that is smaller, and knows `@>` alone.
  "metadata-index": {
    name: "checkpoint_metadata_idx",
    table: "checkpoints",
    on: sql`using gin (metadata jsonb_path_ops)`,
  },
  // Serves `deleteForRuns`. Checkpoints without a run take no room in it.
  "run-index": {
    name: "checkpoint_run_idx",
    table: "checkpoints",
    on: sql`((metadata ->> 'run_id')) where (metadata ->> 'run_id') is not null`,
  },
};

/** @throws InvalidConfigError for a name that is none. */
export function parseOptionalIndexes(names: readonly string[]): OptionalIndex[] {
  for (const name of names) {
    if (!isOptionalIndex(name)) {
      const known = Object.keys(OPTIONAL_INDEXES).join(", ");
      throw new InvalidConfigError("indexes", `there is no index "${name}", but ${known}`);
    }
  }
  return [...new Set(names)].filter(isOptionalIndex);
}

function isOptionalIndex(name: string): name is OptionalIndex {
  return Object.hasOwn(OPTIONAL_INDEXES, name);
}

/** The statement that creates one; `concurrently` it keeps no writer off, and can't be part of a transaction. */
export function createIndexStatement(
  schema: string,
  index: OptionalIndex,
  concurrently: boolean,
): RawBuilder<unknown> {
  const { name, table, on } = OPTIONAL_INDEXES[index];
  const how = concurrently ? sql`create index concurrently` : sql`create index`;
  return sql`${how} if not exists ${sql.id(name)} on ${sql.id(schema, table)} ${on}`;
}

/** The statement that drops one. */
export function dropIndexStatement(
  schema: string,
  index: OptionalIndex,
  concurrently: boolean,
): RawBuilder<unknown> {
  const how = concurrently ? sql`drop index concurrently` : sql`drop index`;
  return sql`${how} if exists ${sql.id(schema, OPTIONAL_INDEXES[index].name)}`;
}
