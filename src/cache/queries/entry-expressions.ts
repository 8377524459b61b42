import { type RawBuilder, sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";

/** When an entry expires that lives for this time from now on. Null without a time. */
export function expiryInSeconds(seconds: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`${CURRENT_TIME} + ${seconds} * interval '1 second'`;
}

/**
 * The bytes of an entry in base64. `pg` receives all results as text, and Postgres would write bytes in hexadecimal, which is half as long
 * again.
 */
export function sentValue(alias: string): RawBuilder<string> {
  return sql<string>`encode(${sql.ref(`${alias}.value`)}, 'base64')`;
}
