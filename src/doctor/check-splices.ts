import type { Check } from "./examination.js";
import { findingsOf } from "./finding.js";

const { ok } = findingsOf("splices");

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
    return [
      ok(
        `${part} % of the values are splices, which Python's saver, the official saver and version 0.1.0 can't read; \`expand\` stores them whole`,
      ),
    ];
  },
};
