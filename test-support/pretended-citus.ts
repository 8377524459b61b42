import type { TestDatabase } from "./targets.js";

/**
 * Gives a database the catalog of the coordinator of a Citus cluster, and the functions that distribute tables. They record where tables
 * would be, and leave the rows alone. Where policies could hide rows from them, they fail.
 */
export async function pretendCitus(database: Pick<TestDatabase, "exec">): Promise<void> {
  await database.exec(`
    set allow_system_table_mods = on;
    insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
      values (9999, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.0-1');
    create table pg_catalog.pg_dist_local_group as select 0 as groupid;
    create table pg_catalog.pg_dist_partition (
      logicalrelid regclass, partmethod "char", partkey text, colocationid integer, repmodel "char");
    create table pg_catalog.pg_dist_shard (logicalrelid regclass);
    grant select on pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard to public;

    create function pg_catalog.column_to_column_name(regclass, key text) returns text return key;

    create function pg_catalog.create_distributed_table(
      name regclass, key text, colocate_with text, shard_count integer default 32) returns void language plpgsql as $$
      declare neighbor regclass := nullif(colocate_with, 'none');
      begin
        if current_setting('row_security')::boolean then raise 'policies may hide rows'; end if;
        insert into pg_dist_partition select name, 'h', key,
          coalesce((select colocationid from pg_dist_partition where logicalrelid = neighbor), name::oid::integer), 's';
        insert into pg_dist_shard select name from generate_series(1, case when neighbor is null then shard_count
          else (select count(*) from pg_dist_shard where logicalrelid = neighbor) end);
      end $$;

    create function pg_catalog.create_reference_table(name regclass) returns void
      begin atomic
        insert into pg_dist_partition values (name, 'n', null, 1, 't');
        insert into pg_dist_shard values (name);
      end;

    create function pg_catalog.truncate_local_data_after_distributing_table(regclass) returns void begin atomic end;

    create function pg_catalog.undistribute_table(name regclass) returns void
      begin atomic
        delete from pg_dist_partition where logicalrelid = name;
        delete from pg_dist_shard where logicalrelid = name;
      end;
    reset allow_system_table_mods`);
}
