import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "./call-context.js";
import { RememberedBySchema } from "./placement/placement.js";
import { runStatement } from "./statements/run-statement.js";
import { Statement } from "./statements/statement.js";

/** Which of the columns and tables that migrations add to those of the official savers are there. */
export interface AddedColumns {
  /** `task_path` of `checkpoint_writes`, which the tables of the official JavaScript saver lack. */
  readonly taskPath: boolean;
  /** `base` and `whole_bytes` of `checkpoint_blobs`, which the tables of both official savers lack. */
  readonly splices: boolean;
  /** The table `checkpoint_tombstones`. */
  readonly tombstones: boolean;
}

const ALL: AddedColumns = { taskPath: true, splices: true, tombstones: true };

/** The schemas whose tables have all columns. */
const COMPLETE = new RememberedBySchema<AddedColumns>();

/**
 * Tells which columns the tables have, so that what only looks at them reads those of other savers as they are. The first call sends a
 * query of the catalog. Where columns are missing, every call asks again, since a migration may run at any moment.
 */
export async function addedColumns(call: CallContext): Promise<AddedColumns> {
  const known = COMPLETE.get(call);
  if (known !== undefined) return known;
  const missing = (await runStatement(call, missingColumns, { schema: call.schema })).map(({ name }) => name);
  if (missing.length === 0) return COMPLETE.set(call, ALL);
  return {
    taskPath: !missing.includes("task_path"),
    splices: !missing.includes("base"),
    tombstones: !missing.includes("deleted_at"),
  };
}

/**
 * The path of a task, which is empty where the column is missing.
 *
 * @param row - Precedes the name of the column, such as `write.`.
 */
export function taskPathIn(row: "" | "stored." | "write.", hasTaskPath: boolean): RawBuilder<string> {
  return hasTaskPath ? sql.ref<string>(`${row}task_path`) : sql<string>`''::text`;
}

/**
 * The length of a value as a whole, in bytes, which Postgres knows without reading it. NULL where there is no value.
 *
 * @param row - Precedes the names of the columns, such as `stored.`.
 */
export function wholeBytesIn(row: "" | "stored.", hasSplices: boolean): RawBuilder<number | null> {
  const bytes = sql<number | null>`octet_length(${sql.ref(`${row}blob`)})`;
  return hasSplices ? sql<number | null>`coalesce(${sql.ref(`${row}whole_bytes`)}, ${bytes})` : bytes;
}

/** A row for each missing column: none where there is nothing to say, since rows count as those of the call that asks. */
const missingColumns = new Statement<{ readonly schema: string }, { name: string }>((db, parameter) =>
  db
    .selectFrom(
      sql<{
        relname: string;
        attname: string;
      }>`(values ('checkpoint_writes', 'task_path'), ('checkpoint_blobs', 'base'),
          ('checkpoint_tombstones', 'deleted_at'))`.as<"added">(sql`added(relname, attname)`),
    )
    .select("added.attname as name")
    .where(
      sql<boolean>`not exists (
          select from pg_catalog.pg_attribute as attribute
          join pg_catalog.pg_class as relation on relation.oid = attribute.attrelid
          join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
          where namespace.nspname = ${parameter("schema")} and relation.relname = added.relname
            and attribute.attname = added.attname and not attribute.attisdropped
        )`,
    ),
);
