import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { MigrationError } from "../../errors/index.js";
import { leavesOf, oidOf } from "../catalog-expressions.js";
import type { TableState } from "./conversion-state.js";
import { CONVERTED_TABLES } from "./converted-tables.js";

/**
 * Refuses to replace a table that something of an application depends on, since that would stay with the old table.
 *
 * @throws MigrationError naming what depends on it.
 */
export async function refuseDependents(
  db: Kysely<CheckpointDatabase>,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  const all = sql.join(CONVERTED_TABLES.map(({ name }) => oidOf(schema, name)));
  for (const { table } of tables) {
    const oid = oidOf(schema, table.name);
    const { rows } = await sql<{ name: string }>`
      select distinct pg_describe_object(classid, objid, 0) as name
      from pg_depend
      where deptype = 'n' and (
          refclassid = 'pg_class'::regclass and refobjid = ${oid}
          or refclassid = 'pg_type'::regclass and refobjid = (select reltype from pg_class where oid = ${oid})
        )
        -- A policy of one of these tables may read another one. All policies are created again.
        and not (classid = 'pg_policy'::regclass and objid in (select oid from pg_policy where polrelid in (${all})))
      union all
      select pg_describe_object('pg_constraint'::regclass, oid, 0) from pg_constraint
      where conrelid = ${oid} and contype = 'f'
      union all
      select pg_describe_object('pg_rewrite'::regclass, oid, 0) from pg_rewrite where ev_class = ${oid}
      union all
      -- That of a schema, or of all tables, would publish the copies as well.
      select format('publication %I', pubname) from pg_publication_tables
      where (schemaname, tablename) in (
        select nspname, relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where pg_class.oid = ${oid} or pg_class.oid in (${leavesOf(oid)}))
      union all
      select pg_describe_object('pg_class'::regclass, inhparent, 0) from pg_inherits where inhrelid = ${oid}
      union all
      -- A partitioned table can't have it.
      select pg_describe_object('pg_trigger'::regclass, oid, 0) from pg_trigger
      where tgrelid = ${oid} and tgtype & 1 = 1 and (tgoldtable is not null or tgnewtable is not null)`.execute(
      db,
    );
    const [first] = rows;
    if (first === undefined) continue;
    throw new MigrationError(
      `the conversion replaces table "${table.name}", on which others depend: ${rows.map(({ name }) => name).join("; ")}. ` +
        "Nothing was changed. Drop them, convert the tables, and create them again",
    );
  }
}
