import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";

/**
 * Whether a text is in a list of at most a few thousand items. Postgres looks it up in a hash table. A plain `in` or `= any`
 * may become a loop over the list for each row, when statistics are missing or the plan is generic. The same happens here
 * when Postgres estimates that the list does not fit in its memory.
 *
 * To find rows by an index, use `= any` instead.
 */
export function isInList(
  text: Expression<string | null>,
  list: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${text} in (select unnest(${list}::text[]))) is true`;
}

/** The negation of {@link isInList}. `null` is in no list. */
export function isNotInList(
  text: Expression<string | null>,
  list: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${text} in (select unnest(${list}::text[]))) is not true`;
}
