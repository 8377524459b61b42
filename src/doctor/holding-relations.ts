import { sql } from "kysely";
import { leavesOf } from "../migrations/catalog-expressions.js";
import type { DoctoredDatabase } from "./catalog.js";

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
