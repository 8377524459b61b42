import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";

/** Whether a text contains another one, in any case. No character of it is a wildcard. */
export function containsText(text: Expression<string>, searched: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`position(lower(${searched}::text) in lower(${text})) > 0`;
}
