import { createQueryId, PostgresQueryCompiler, type RawBuilder, sql } from "kysely";

/** The SQL of a statement without parameters. */
export function textOfStatement(statement: RawBuilder<unknown>): string {
  return new PostgresQueryCompiler().compileQuery(statement.toOperationNode(), createQueryId()).sql;
}

/** An expression for the oid of a table. Null if there is none. */
export function oidOf(schema: string, table: string): RawBuilder<number | null> {
  return sql<number | null>`to_regclass(format('%I.%I', ${schema}::text, ${table}::text))::oid`;
}

/** An expression for whether a table has a column. */
export function hasColumn(schema: string, table: string, column: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from pg_attribute
    where attrelid = ${oidOf(schema, table)} and attname = ${column} and not attisdropped
  )`;
}

/** An expression for whether a table has a column that may be null. */
export function isNullable(schema: string, table: string, column: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from pg_attribute
    where attrelid = ${oidOf(schema, table)} and attname = ${column} and not attisdropped and not attnotnull
  )`;
}

/** A subquery for the oids of the relations that hold the rows of a table: its partitions, or the table itself. */
export function leavesOf(oid: RawBuilder<number | null>): RawBuilder<number> {
  return sql<number>`
    select leaf.relid::oid from pg_partition_tree((${oid})::regclass) as leaf where leaf.isleaf
    union all
    select (${oid})::oid where not exists (select from pg_partition_tree((${oid})::regclass))`;
}
