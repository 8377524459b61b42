import { sql } from "kysely";
import type { Check } from "./examination.js";
import { findingsOf } from "./finding.js";
import { holdingRelations } from "./catalog.js";
import { quoted } from "../db/migrate-command.js";

const compression = findingsOf("compression");
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
      return slow.flatMap(({ schema: own, table }) =>
        compression.warning(
          `new values in "${table}" are compressed by pglz; this server supports LZ4, which is faster`,
          `alter table ${quoted(own, table)} alter column blob set compression lz4`,
        ),
      );
    }
    const [row] = rows;
    if (row === undefined) return [];
    if (!row.hasLz4)
      return compression.ok("values are compressed by pglz, because this server was built without LZ4");
    return compression.ok(
      rows.some(({ chosen }) => chosen === PGLZ)
        ? "values are compressed by pglz, as the columns are configured"
        : "values are compressed by LZ4",
    );
  },
};

const splices = findingsOf("splices");

/** Tells which part of the values are splices, by the statistics of Postgres. It tells nothing about a table without any. */
export const checkSplices: Check = {
  name: "splices",
  run: async ({ db, schema }) => {
    const statistics = await db
      .selectFrom("pg_catalog.pg_stats")
      .select("null_frac")
      .where("schemaname", "=", schema.name)
      .where("tablename", "=", "checkpoint_blobs")
      .where("attname", "=", "base")
      .executeTakeFirst();
    if (statistics === undefined || statistics.null_frac === 1) return [];
    const percent = (1 - statistics.null_frac) * 100;
    const part = percent < 1 ? "less than 1" : `about ${Math.round(percent)}`;
    return splices.ok(
      `${part} % of the values are splices, which Python's saver, the official saver and version 0.1.0 can't read; \`expand\` stores them whole`,
    );
  },
};
