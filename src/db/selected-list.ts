import { type RawBuilder, sql } from "kysely";

/**
 * Selects a list of texts as JSON text: what a driver makes of an array is for the application, which may have parsers of its own.
 *
 * @param list - An expression for a `text[]`.
 */
export function selectedList<List extends readonly string[] | null>(
  list: RawBuilder<List>,
): RawBuilder<string> {
  return sql<string>`to_json(${list})::text`;
}

/** Reads a list that {@link selectedList} has selected. That of NULL is empty. */
export function readList(text: string | null | undefined): string[] {
  return text === null || text === undefined ? [] : (JSON.parse(text) as string[]);
}
