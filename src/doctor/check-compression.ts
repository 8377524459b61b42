import { sql } from "kysely";
import type { Check } from "./examination.js";
import { findingsOf } from "./finding.js";
import { holdingRelations } from "./holding-relations.js";
import { quoted } from "../db/migrate-command.js";

const { ok, warning } = findingsOf("compression");
const PGLZ = "p";

/** Checks that new values are compressed by LZ4 if the server supports it. */
export const checkCompression: Check = {
  name: "compression",
  run: async ({ db, schema }) => {
    // A change of a partitioned table does not change its partitions, which compress.
    const rows = await holdingRelations(db, schema.name, ["checkpoint_blobs", "checkpoint_writes"])
      .innerJoin("pg_catalog.pg_attribute as column", "column.attrelid", "table.oid")
      .innerJoin("pg_catalog.pg_settings as default", (join) =>
        join.on("default.name", "=", "default_toast_compression"),
      )
      .select(["own_namespace.nspname as schema", "table.relname as table"])
      .select(["column.attcompression as chosen", "default.setting"])
      .select(sql<boolean>`coalesce('lz4' = any ("default".enumvals), false)`.as("hasLz4"))
      .where("column.attname", "=", "blob")
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
