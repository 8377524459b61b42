import { sql } from "kysely";
import type { MigrationStep } from "../steps/step.js";

/**
 * Creates the indexes for filters, for the newest items, and for searches by text.
 *
 * @param language - The text search configuration of the index, such as `english`.
 */
export function createIndexes(language: string): MigrationStep {
  return {
    async up(db, schema) {
      const table = sql.id(schema, "store");
      // `jsonb_path_ops` is smaller than the default, and supports the containment that filters use.
      await sql`create index if not exists store_value_idx on ${table} using gin (value jsonb_path_ops)`.execute(
        db,
      );
      await sql`create index if not exists store_updated_idx on ${table}
        (updated_at desc, prefix collate "C", key collate "C")`.execute(db);
      // Over the texts of a value, not over its keys, nor over encrypted bytes. Postgres refuses a tsvector of 1 MB, which could fail the
      // put of a long value.
      await sql`create index if not exists store_text_idx on ${table}
        using gin ((case when jsonb_typeof(value) <> 'object' then null
          when octet_length((value - '__sealed__'::text)::text) <= 250000
          then jsonb_to_tsvector(${sql.lit(language)}::regconfig, value - '__sealed__'::text, '["string"]') end))`.execute(
        db,
      );
    },

    async down(db) {
      for (const index of ["store_text_idx", "store_updated_idx", "store_value_idx"]) {
        await db.schema.dropIndex(index).execute();
      }
    },
  };
}
