import type { TestDatabase } from "./targets.js";

/**
 * Gives a database without Citus the table of the catalog by which savers recognize distributed tables. They then send the statements
 * for several servers, which Postgres runs like any others. It changes nothing where the database has Citus.
 */
export async function lookDistributed(database: TestDatabase): Promise<void> {
  await database.exec(`
    do $$
    begin
      if to_regclass('pg_catalog.pg_dist_partition') is null then
        set local allow_system_table_mods = on;
        create table pg_catalog.pg_dist_partition (logicalrelid oid, partmethod "char", colocationid integer);
        insert into pg_catalog.pg_dist_partition select 'checkpoints'::regclass, 'h', 1;
        grant select on pg_catalog.pg_dist_partition to public;
        -- Where the library of Citus is loaded, each new connection knows its version.
        execute format('alter database %I set citus.version = %L', current_database(), '13.0');
      end if;
    end
    $$`);
}
