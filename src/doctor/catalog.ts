import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";

/** The catalog and statistics views of Postgres that the checks read. */
export interface Catalog {
  "pg_catalog.pg_namespace": { oid: number; nspname: string };
  "pg_catalog.pg_class": {
    oid: number;
    relname: string;
    relnamespace: number;
    relkind: string;
    relrowsecurity: boolean;
    reloptions: string[] | null;
    reltoastrelid: number;
  };
  "pg_catalog.pg_attribute": { attrelid: number; attname: string; attcompression: string };
  "pg_catalog.pg_index": {
    indexrelid: number;
    indrelid: number;
    indisunique: boolean;
    indisprimary: boolean;
    indisvalid: boolean;
    indisready: boolean;
  };
  "pg_catalog.pg_settings": {
    name: string;
    setting: string;
    /** The value at the start of the session. */
    reset_val: string;
    enumvals: string[] | null;
  };
  "pg_catalog.pg_stat_all_tables": { relid: number };
  "pg_catalog.pg_stats": { schemaname: string; tablename: string; attname: string; null_frac: number };
  "pg_catalog.pg_stat_activity": {
    pid: number;
    datname: string | null;
    usename: string | null;
    application_name: string | null;
    state: string | null;
    query: string | null;
  };
  "pg_catalog.pg_stat_ssl": { pid: number; ssl: boolean; version: string | null };
  "pg_catalog.pg_database": { datname: string };
  /** The nodes of a cluster. Only databases on nodes have this table. */
  "pg_catalog.pg_dist_node": {
    nodeid: number;
    groupid: number;
    nodename: string;
    nodeport: number;
    noderole: string;
    nodecluster: string;
    isactive: boolean;
    shouldhaveshards: boolean;
  };
}

/** The checkpoint tables and the catalog. */
export type DoctoredDatabase = Kysely<CheckpointDatabase & Catalog>;
