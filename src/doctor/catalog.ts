import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { leavesOf } from "../migrations/catalog-expressions.js";

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

/** A table and its primary key. */
export interface CheckedTable {
  readonly name: keyof CheckpointDatabase;
  /** The columns of the primary key, which every write needs. */
  readonly key: readonly string[];
}

/** The tables with rows of threads, which savers read and write. */
export const ROW_TABLES: readonly CheckedTable[] = [
  { name: "checkpoints", key: ["thread_id", "checkpoint_ns", "checkpoint_id"] },
  { name: "checkpoint_blobs", key: ["thread_id", "checkpoint_ns", "channel", "version"] },
  { name: "checkpoint_writes", key: ["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"] },
  { name: "checkpoint_tombstones", key: ["thread_id"] },
];

/** Their names. */
export const ROW_TABLE_NAMES = ROW_TABLES.map(({ name }) => name);

/** The tables that record the applied migrations, which savers only read. */
export const RECORD_TABLES: readonly (keyof CheckpointDatabase)[] = [
  "checkpoint_migrations",
  "checkpoint_kysely_migration",
];

/**
 * Begins a query of the relations that hold the rows of tables: of each table (`whole`) itself, or its partitions. A row has the
 * relation (`table`) and its schema (`own_namespace`).
 */
export function holdingRelations(db: DoctoredDatabase, schema: string, tables: readonly string[]) {
  return db
    .selectFrom("pg_catalog.pg_class as whole")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "whole.relnamespace")
    .innerJoinLateral(
      () => sql<{ oid: number }>`(${leavesOf(sql`whole.oid`)})`.as<"leaf">(sql`leaf (oid)`),
      (join) => join.onTrue(),
    )
    .innerJoin("pg_catalog.pg_class as table", "table.oid", "leaf.oid")
    .innerJoin("pg_catalog.pg_namespace as own_namespace", "own_namespace.oid", "table.relnamespace")
    .where("namespace.nspname", "=", schema)
    .where("whole.relname", "in", tables)
    .where("whole.relkind", "in", ["r", "p"])
    .orderBy("whole.relname")
    .orderBy("table.relname");
}
