import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { MigrationError } from "../../errors/index.js";
import type { TableState } from "./conversion-state.js";
import { type ConvertedTable, mirrorName, nextName, PROGRESS_TABLE } from "./converted-tables.js";
import { type PartitionLayout, partitionsOf } from "./partition-layout.js";

/** Contains the number of partitions, so that tables of two layouts can exist at once. */
export function partitionName({ name }: ConvertedTable, count: number, remainder: number): string {
  return `${name}_hash${count}_${String(remainder).padStart(String(count - 1).length, "0")}`;
}

/** @throws MigrationError if relations or functions of others have the names that the conversion needs. */
export async function refuseTakenNames(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  tables: readonly TableState[],
  layout: PartitionLayout,
): Promise<void> {
  const count = partitionsOf(layout);
  const relations = tables.flatMap(({ table }) => [
    nextName(table),
    ...Array.from({ length: count }, (_, remainder) => partitionName(table, count, remainder)),
  ]);
  const routines = tables.map(({ table }) => mirrorName(table));
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relnamespace = to_regnamespace(format('%I', ${schema}::text)) and relname = any (${[...relations, PROGRESS_TABLE]}::text[])
    union all
    select proname::text from pg_proc
    where pronamespace = to_regnamespace(format('%I', ${schema}::text)) and proname = any (${routines}::text[]) and pronargs = 0
    order by name`.execute(db);
  if (rows.length === 0) return;
  throw new MigrationError(
    `the conversion needs names that schema "${schema}" has already: ${rows.map(({ name }) => name).join(", ")}. ` +
      "Nothing was changed. Rename them first, or drop them",
  );
}
