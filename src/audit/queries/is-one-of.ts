import { type RawBuilder, sql } from "kysely";

/** Whether a text column has one of the given values. */
export function isOneOf(
  column: RawBuilder<unknown>,
  values: RawBuilder<readonly string[]>,
): RawBuilder<boolean> {
  return sql<boolean>`${column} = any (${values}::text[])`;
}
