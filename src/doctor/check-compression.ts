import { sql } from "kysely";
import { leavesOf } from "../migrations/catalog-expressions.js";
import type { Check } from "./examination.js";
import { findingsOf } from "./finding.js";
import { quoted } from "./quoted.js";

const { ok, warning } = findingsOf("compression");
const PGLZ = "p";

/** Checks that new values are compressed by LZ4 if the server supports it. */
export const checkCompression: Check = {
  name: "compression",
  run: async ({ db, schema }) => {
    const rows = await db
      .selectFrom("pg_catalog.pg_class as whole")
      .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "whole.relnamespace")
      // A change of a partitioned table does not change its partitions, which compress.
      .innerJoinLateral(
        () => sql<{ oid: number }>`(${leavesOf(sql`whole.oid`)})`.as<"leaf">(sql`leaf (oid)`),
        (join) => join.onTrue(),
      )
      .innerJoin("pg_catalog.pg_class as table", "table.oid", "leaf.oid")
      .innerJoin("pg_catalog.pg_namespace as own_namespace", "own_namespace.oid", "table.relnamespace")
      .innerJoin("pg_catalog.pg_attribute as column", "column.attrelid", "table.oid")
      .innerJoin("pg_catalog.pg_settings as default", (join) =>
        join.on("default.name", "=", "default_toast_compression"),
      )
      .select(["own_namespace.nspname as schema", "table.relname as table"])
      .select(["column.attcompression as chosen", "default.setting"])
      .select(sql<boolean>`coalesce('lz4' = any ("default".enumvals), false)`.as("hasLz4"))
      .where("namespace.nspname", "=", schema.name)
      .where("whole.relname", "in", ["checkpoint_blobs", "checkpoint_writes"])
      .where("whole.relkind", "in", ["r", "p"])
      .where("column.attname", "=", "blob")
      .orderBy("table.relname")
      .execute();
    const slow = rows.filter(({ chosen, setting, hasLz4 }) => hasLz4 && chosen === "" && setting === "pglz");
    if (slow.length > 0) {
      return slow.map(({ schema: own, table }) =>
        warning(
          `new values in "${table}" are compressed by pglz; this server supports LZ4, which is faster`,
          `alter table ${quoted(own, table)} alter column blob set compression lz4`,
        ),
      );
    }
    const [row] = rows;
    if (row === undefined) return [];
    if (!row.hasLz4) return [ok("values are compressed by pglz, because this server was built without LZ4")];
    return [
      ok(
        rows.some(({ chosen }) => chosen === PGLZ)
          ? "values are compressed by pglz, as the columns are configured"
          : "values are compressed by LZ4",
      ),
    ];
  },
};
