import { type RawBuilder, sql } from "kysely";

/**
 * The texts of an item for a search: those of its value, not its keys, nor encrypted bytes. An index serves a search only where both have
 * the same expression. Postgres refuses a tsvector of 1 MB, which could fail the put of a long value: it has no texts here.
 *
 * @param value - The column of the value.
 * @param language - The text search configuration, such as `english`.
 */
export function itemTexts(value: RawBuilder<unknown>, language: string): RawBuilder<unknown> {
  return sql`(case when jsonb_typeof(${value}) <> 'object' then null
    when octet_length((${value} - '__sealed__'::text)::text) <= 250000
    then jsonb_to_tsvector(${sql.lit(language)}::regconfig, ${value} - '__sealed__'::text, '["string"]') end)`;
}
