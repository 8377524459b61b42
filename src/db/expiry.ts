import { type RawBuilder, sql, type SqlBool } from "kysely";

/** The time of the server when the statement began. In a long transaction, `now()` would be the time of its begin. */
export const CURRENT_TIME = sql<Date>`statement_timestamp()`;

/** Whether a row with the column `expires_at` has not expired. */
export function isAlive(alias: string): RawBuilder<SqlBool> {
  const expires = sql.ref(`${alias}.expires_at`);
  return sql<SqlBool>`(${expires} is null or ${expires} > ${CURRENT_TIME})`;
}
