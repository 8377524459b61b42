import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";

/**
 * Whether text is one of a list of some thousands at most: Postgres looks it up in a hash table. A plain `in` or `= any`
 * may become a loop over the list for each row, where statistics are missing or the plan is one for all parameters; and so
 * would this for a list that Postgres expects to be too long for its memory.
 *
 * For rows that are to be found by an index `= any` is the better one.
 */
export function isAmong(
  text: Expression<string | null>,
  list: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${text} in (select unnest(${list}::text[]))) is true`;
}

/** The opposite of {@link isAmong}; `null` is among none. */
export function isNotAmong(
  text: Expression<string | null>,
  list: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${text} in (select unnest(${list}::text[]))) is not true`;
}
