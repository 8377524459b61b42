import { type RawBuilder, sql, type SqlBool } from "kysely";

/** The time of the server when the statement began. In a long transaction, `now()` would be the time of its begin. */
export const CURRENT_TIME = /* @__PURE__ */ sql<Date>`statement_timestamp()`;

/** Whether an entry has not expired. */
export function isAlive(alias: string): RawBuilder<SqlBool> {
  const expires = sql.ref(`${alias}.expires_at`);
  return sql<SqlBool>`(${expires} is null or ${expires} > ${CURRENT_TIME})`;
}

/** When an entry expires that lives so many seconds from now on. Null without a time. */
export function expiryOf(seconds: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`${CURRENT_TIME} + ${seconds} * interval '1 second'`;
}

/**
 * The bytes of an entry in base64. `pg` receives all results as text, and Postgres would write bytes in hexadecimal, which is half as long
 * again.
 */
export function sentValue(alias: string): RawBuilder<string> {
  return sql<string>`encode(${sql.ref(`${alias}.value`)}, 'base64')`;
}
